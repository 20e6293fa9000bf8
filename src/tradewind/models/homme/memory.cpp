/// Counts the arrays of the cores, its messages, and the gathered snapshot.
#include "tradewind/models/homme/memory.hpp"

#include <algorithm>
#include <cmath>

#include "tradewind/models/homme/dg/dg_kernels.hpp"
#include "tradewind/models/homme/snapshot.hpp"

namespace tradewind::homme {

RunMemory memory_of(const HommePlan& plan) {
    const auto elements = double(plan.mesh.elements());
    const auto np = double(plan.rule.count());
    const auto padded = double(spectral::blocks_of(plan.layers) * spectral::lane_width);
    const double number = sizeof(double);
    const double fields = number * double(plan.fields());
    const bool is_se = plan.method == Discretisation::spectral_elements;
    // The state, its copies for the stages, and auxiliary fields; traces beside them.
    const double states = (!is_se && plan.viscosity > 0.0) || plan.shallow_water ? 4.0 : 3.0;
    const double exchanges = plan.viscosity > 0.0 ? 2.0 : 1.0;
    const double shared = 4.0 * np + 4.0;
    const double traces = is_se ? 0.0 : exchanges * fields * shared * padded;
    const double sent = exchanges * fields * shared * double(plan.layers);
    const double metric = is_se ? double(sizeof(SeElement)) : double(sizeof(DgElement));
    const double shown = number * double(shown_fields(plan));
    const double gathered = elements * shown * (np * np + 1.0) * 2.0;
    const double means = plan.shallow_water ? 0.0 : 2.0 * number * double(plan.layers);
    const double points = plan.shows_points ? elements * shown * np * np : 0.0;
    const double grid = double(plan.latitudes) * (shown * double(plan.longitudes) + means) + points;
    // The places of the points of the grid, and of those of the elements.
    const double places = double(plan.latitudes) * double(plan.longitudes) *
                              double(sizeof(CubeGeometry::Location) + sizeof(std::int64_t)) +
                          (plan.shows_points ? elements * np * np * 6.0 * number : 0.0);
    const double outputs =
        2.0 + (plan.output_every > 0 ? double(plan.steps) / double(plan.output_every) : 0.0);
    // The elements at the edges of compact parts.
    const auto ranks = double(plan.ranks());
    const double at_edges =
        plan.ranks() == 1 ? 0.0 : std::min(elements, 4.0 * std::sqrt(elements * ranks));
    // All shared points pass through a buffer; those between ranks through others, too.
    const double lasting =
        elements * (states * fields * np * np * padded + traces + metric + sent) +
        at_edges * (copies_of_message - 1.0) * sent;
    return {lasting + gathered + grid + places, grid * outputs};
}

}  // namespace tradewind::homme
