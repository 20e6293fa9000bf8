/// The parts that both discretisations have in common.
#include "tradewind/models/homme/core.hpp"

#include <algorithm>

#include "tradewind/base/interrupts.hpp"
#include "tradewind/models/homme/constants.hpp"
#include "tradewind/models/homme/dg/dg_core.hpp"
#include "tradewind/models/homme/initial_state.hpp"
#include "tradewind/models/homme/se/se_core.hpp"

namespace tradewind::homme {

Core::Core(const Comm& comm, const HommePlan& plan, bool has_data)
    : plan_(&plan),
      rank_(comm.rank()),
      count_(plan.partition.size(comm.rank())),
      has_data_(has_data),
      column_{plan.layers, spectral::blocks_of(plan.layers),
              plan.shallow_water ? 0.0 : plan.levels.top()} {}

void Core::set_initial_state(std::int64_t own) {
    const int np = plan_->rule.count();
    for (int p = 0; p < np * np; ++p) {
        const PointGeometry point = plan_->geometry.point(element_number(own), p % np, p / np);
        if (plan_->shallow_water) {
            set_shallow_water(own, p, point);
        } else {
            set_column(own, p, point);
        }
    }
}

void Core::set_shallow_water(std::int64_t element, int p, const PointGeometry& point) {
    const williamson::FlowState flow = plan_->shallow_water->initial(lon_lat(point));
    const std::int64_t padded = column_.blocks * spectral::lane_width;
    for (std::int64_t n = 0; n < padded; ++n) {
        now_.value(east, element, p, n) = flow.wind.east;
        now_.value(north, element, p, n) = flow.wind.north;
        now_.value(depth, element, p, n) = flow.geopotential / gravity;
    }
}

void Core::set_column(std::int64_t element, int p, const PointGeometry& point) {
    const JablonowskiWilliamson flow = plan_->initial_flow();
    const HybridLevels& levels = plan_->levels;
    const std::int64_t padded = column_.blocks * spectral::lane_width;
    for (std::int64_t n = 0; n < padded; ++n) {
        const std::int64_t k = std::min(n, column_.levels - 1);
        const double eta = levels.middle(k);
        check_interrupts(64);
        now_.value(east, element, p, n) = flow.wind(point.longitude, point.latitude, eta);
        now_.value(north, element, p, n) = 0.0;
        now_.value(temperature, element, p, n) = flow.temperature(point.latitude, eta);
        now_.value(thickness, element, p, n) = levels.thickness(k, reference_pressure);
    }
}

std::unique_ptr<Core> make_core(Comm& comm, const HommePlan& plan, bool has_data) {
    if (plan.method == Discretisation::discontinuous_galerkin)
        return std::make_unique<DgCore>(comm, plan, has_data);
    return std::make_unique<SeCore>(comm, plan, has_data);
}

}  // namespace tradewind::homme
