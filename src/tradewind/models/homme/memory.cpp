/// Counts the arrays of the cores, its messages, and the gathered snapshot.
#include "tradewind/models/homme/memory.hpp"

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
    const double states = is_se ? 3.0 : plan.viscosity > 0.0 ? 4.0 : 3.0;
    const double exchanges = plan.viscosity > 0.0 ? 2.0 : 1.0;
    const double shared = 4.0 * np + 4.0;
    const double traces = is_se ? 0.0 : exchanges * fields * shared * padded;
    const double sent = exchanges * fields * shared * double(plan.layers);
    const double metric = is_se ? double(sizeof(SeElement)) : double(sizeof(DgElement));
    const double shown = number * double(shown_fields(plan));
    const double gathered = elements * shown * (np * np + 1.0) * 2.0;
    const double grid = shown * double(plan.latitudes) * double(plan.longitudes);
    const double outputs =
        2.0 + (plan.output_every > 0 ? double(plan.steps) / double(plan.output_every) : 0.0);
    const double lasting = elements * (states * fields * np * np * padded + traces + metric +
                                       copies_of_message * sent);
    return {lasting + gathered + grid, grid * outputs};
}

}  // namespace tradewind::homme
