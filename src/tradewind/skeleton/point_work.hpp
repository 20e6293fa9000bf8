/// PointWork: the computation at one grid point.
#pragma once

#include "tradewind/comm/types.hpp"

namespace tradewind::skeleton {

struct PointWork {
    double flops = 0.0;
    /// Bytes that are moved between memory and processor.
    double memory = 0.0;

    [[nodiscard]] bool is_any() const noexcept { return flops > 0.0 || memory > 0.0; }
    [[nodiscard]] friend Work operator*(double points, const PointWork& work) noexcept {
        return {points * work.flops, Bytes(points * work.memory)};
    }
    [[nodiscard]] friend PointWork operator+(const PointWork& a, const PointWork& b) noexcept {
        return {a.flops + b.flops, a.memory + b.memory};
    }
};

}  // namespace tradewind::skeleton
