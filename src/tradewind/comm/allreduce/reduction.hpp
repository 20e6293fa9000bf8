/// Reduction: an associative, commutative operation on arrays of one element type.
#pragma once

#include "tradewind/comm/buffer.hpp"

namespace tradewind {

/// A reduction operation. `combine(in, inout)` works element by element; both buffers have the same
/// size, and neither is null.
struct Reduction {
    void (*combine)(ConstBuffer in, Buffer inout) = nullptr;
    Bytes element_size = 0;

    void operator()(ConstBuffer in, Buffer inout) const {
        if (!in.is_null() && !inout.is_null() && in.size() > 0) combine(in, inout);
    }
};

template <class T, class Operation>
[[nodiscard]] Reduction reduction() {
    return {[](ConstBuffer in, Buffer inout) {
                const auto* const from = reinterpret_cast<const T*>(in.data());
                auto* const to = reinterpret_cast<T*>(inout.data());
                for (Bytes i = 0; i < in.size() / Bytes(sizeof(T)); ++i)
                    to[i] = Operation{}(to[i], from[i]);
            },
            Bytes(sizeof(T))};
}

struct Plus {
    template <class T>
    T operator()(T a, T b) const {
        return a + b;
    }
};
struct Maximum {
    template <class T>
    T operator()(T a, T b) const {
        return a < b ? b : a;
    }
};
struct Minimum {
    template <class T>
    T operator()(T a, T b) const {
        return b < a ? b : a;
    }
};

template <class T>
[[nodiscard]] Reduction sum() {
    return reduction<T, Plus>();
}
template <class T>
[[nodiscard]] Reduction maximum() {
    return reduction<T, Maximum>();
}
template <class T>
[[nodiscard]] Reduction minimum() {
    return reduction<T, Minimum>();
}

}  // namespace tradewind
