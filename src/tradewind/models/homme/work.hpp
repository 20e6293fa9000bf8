/// The arithmetic and memory traffic of the kernels per element, for runs without data.
#pragma once

#include "tradewind/comm/types.hpp"
#include "tradewind/models/homme/plan.hpp"

namespace tradewind::homme {

/// Operations per point and level, counted in the kernels.
inline constexpr double stage_flops = 174.0;
inline constexpr double laplacian_flops = 175.0;
inline constexpr double remap_flops = 190.0;
inline constexpr double shallow_water_stage_flops = 87.0;
inline constexpr double shallow_water_laplacian_flops = 139.0;
inline constexpr double dg_shallow_water_flops = 132.0;
inline constexpr double dg_prepare_flops = 36.0;
inline constexpr double dg_gradient_flops = 62.0;
inline constexpr double dg_stage_flops = 240.0;
inline constexpr double dg_filter_flops = 120.0;
/// Fields that a kernel reads or writes once per point and level.
inline constexpr double stage_arrays = 12.0;
inline constexpr double laplacian_arrays = 8.0;
inline constexpr double remap_arrays = 8.0;
inline constexpr double shallow_water_stage_arrays = 9.0;
inline constexpr double shallow_water_laplacian_arrays = 6.0;
inline constexpr double dg_shallow_water_arrays = 11.0;
inline constexpr double dg_prepare_arrays = 6.0;
inline constexpr double dg_gradient_arrays = 7.0;
inline constexpr double dg_stage_arrays = 20.0;
inline constexpr double dg_filter_arrays = 8.0;

/// Returns the work on `numbers` points and levels.
[[nodiscard]] inline Work work_on(double numbers, double flops, double arrays) {
    return {numbers * flops, Bytes(numbers * arrays * double(sizeof(double)))};
}

/// Returns the work of the kernels that both sets of equations have.
[[nodiscard]] inline Work stage_work(const HommePlan& plan, double numbers) {
    return plan.shallow_water
               ? work_on(numbers, shallow_water_stage_flops, shallow_water_stage_arrays)
               : work_on(numbers, stage_flops, stage_arrays);
}
[[nodiscard]] inline Work laplacian_work(const HommePlan& plan, double numbers) {
    return plan.shallow_water
               ? work_on(numbers, shallow_water_laplacian_flops, shallow_water_laplacian_arrays)
               : work_on(numbers, laplacian_flops, laplacian_arrays);
}
[[nodiscard]] inline Work dg_stage_work(const HommePlan& plan, double numbers) {
    return plan.shallow_water ? work_on(numbers, dg_shallow_water_flops, dg_shallow_water_arrays)
                              : work_on(numbers, dg_stage_flops, dg_stage_arrays);
}

}  // namespace tradewind::homme
