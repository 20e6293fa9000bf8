/// The numbers that verifications send: whole ones, so that sums are exact in any order.
#pragma once

#include <vector>

#include "tradewind/base/random.hpp"
#include "tradewind/comm/buffer.hpp"

namespace tradewind::verification {

using Words = std::vector<double>;

/// Returns the i-th number that `a` has for `b`, in 0..999999.
[[nodiscard]] inline double word(std::int64_t a, std::int64_t b, std::int64_t i) {
    return double(mix(mix(std::uint64_t(a), std::uint64_t(b)), std::uint64_t(i)) % 1'000'000);
}

}  // namespace tradewind::verification
