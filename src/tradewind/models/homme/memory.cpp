/// Counts the arrays of SeCore, its messages, and the gathered snapshot.
#include "tradewind/models/homme/memory.hpp"

#include <algorithm>

#include "tradewind/models/homme/snapshot.hpp"

namespace tradewind::homme {

namespace {

/// States of all fields: now, the first stage, and the work of the others.
constexpr double states = 3.0;
/// Points of an element that are sent: four edges and four corners.
constexpr double shared_points = 4.0 * se_np + 4.0;

}  // namespace

RunMemory memory_of(const HommePlan& plan) {
    const auto elements = double(plan.mesh.elements());
    const auto padded = double(spectral::blocks_of(plan.levels.count()) * spectral::lane_width);
    const double number = sizeof(double);
    const double state = number * double(field_count) * se_points * padded;
    const double sent =
        number * double(field_count) * shared_points * double(plan.levels.count());
    const double shown = number * double(shown_count);
    const double gathered = elements * shown * (se_points + 1.0) * 2.0;
    const double grid = shown * double(plan.latitudes) * double(plan.longitudes);
    const double outputs =
        2.0 + (plan.output_every > 0 ? double(plan.steps) / double(plan.output_every) : 0.0);
    const double lasting =
        elements * (states * state + double(sizeof(SeElement)) + copies_of_message * sent);
    return {lasting + gathered + grid, grid * outputs};
}

}  // namespace tradewind::homme
