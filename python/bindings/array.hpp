/// NumPy arrays that own their values.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <initializer_list>
#include <vector>

namespace tradewind::bindings {

template <class T>
[[nodiscard]] nanobind::object owning_array(std::vector<T> values,
                                            std::initializer_list<std::size_t> shape) {
    namespace nb = nanobind;
    auto* const kept = new std::vector<T>(std::move(values));
    const nb::capsule owner(
        kept, [](void* memory) noexcept { delete static_cast<std::vector<T>*>(memory); });
    return nb::cast(nb::ndarray<nb::numpy, T>(kept->data(), shape, owner));
}

}  // namespace tradewind::bindings
