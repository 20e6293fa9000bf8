/// Spectra: the wave spectra of cells, each aligned for vector instructions.
#pragma once

#include <algorithm>
#include <vector>

#include "tradewind/base/large_memory.hpp"
#include "tradewind/comm/mesh/mesh_exchange.hpp"

namespace tradewind::fvwam {

/// Spectra of `Real` numbers, zero at first, one cell after the other. Without data there is no
/// memory, only the shape of the messages.
template <class Real>
class Spectra {
public:
    Spectra() = default;
    Spectra(std::int64_t cells, std::int64_t values, bool has_data)
        : values_(values),
          blocks_(blocks_of(values)),
          storage_(has_data ? std::size_t(cells * blocks_) : 0) {}

    [[nodiscard]] Real* cell(std::int64_t n) noexcept {
        return storage_[std::size_t(n * blocks_)].values;
    }
    [[nodiscard]] const Real* cell(std::int64_t n) const noexcept {
        return storage_[std::size_t(n * blocks_)].values;
    }
    [[nodiscard]] std::int64_t values() const noexcept { return values_; }
    /// Returns the doubles that a spectrum fills in a message: two values each in single precision.
    [[nodiscard]] static std::int64_t words(std::int64_t values) noexcept {
        const auto bytes = values * std::int64_t(sizeof(Real));
        return (bytes + std::int64_t(sizeof(double)) - 1) / std::int64_t(sizeof(double));
    }
    /// Returns the spectra as a field of an exchange, which copies their bytes.
    [[nodiscard]] MeshField field() noexcept {
        const std::int64_t stride = blocks_ * block_bytes / std::int64_t(sizeof(double));
        double* const first =
            storage_.empty() ? nullptr : reinterpret_cast<double*>(storage_.front().values);
        return {first, stride, words(values_), 1, 0, 0};
    }
    /// Returns the bytes of a spectrum with its padding.
    [[nodiscard]] static std::int64_t bytes(std::int64_t values) noexcept {
        return blocks_of(values) * block_bytes;
    }

private:
    static constexpr std::int64_t block_bytes = 64;
    static constexpr std::int64_t block_values = block_bytes / std::int64_t(sizeof(Real));
    struct alignas(block_bytes) Block {
        Real values[block_values] = {};
    };
    [[nodiscard]] static std::int64_t blocks_of(std::int64_t values) noexcept {
        return (values + block_values - 1) / block_values;
    }

    std::int64_t values_ = 0;
    std::int64_t blocks_ = 1;
    std::vector<Block, LargeAllocator<Block>> storage_;
};

}  // namespace tradewind::fvwam
