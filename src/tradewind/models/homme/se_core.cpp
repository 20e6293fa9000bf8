/// The sequence of kernels and exchanges.
#include "tradewind/models/homme/se_core.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "tradewind/models/homme/constants.hpp"
#include "tradewind/models/homme/initial_state.hpp"
#include "tradewind/models/homme/partition.hpp"
#include "tradewind/models/homme/work.hpp"

namespace tradewind::homme {

namespace {

[[nodiscard]] MeshPart part(const HommePlan& plan, Rank rank) {
    return part_of(plan.mesh, plan.partition, rank, se_np, Connectivity::edges_and_corners,
                   Arrival::own_points);
}

[[nodiscard]] MeshExchangeOptions options_of(const HommePlan& plan) {
    MeshExchangeOptions options;
    options.schedule = plan.schedule;
    options.order = plan.order;
    options.algorithm = plan.algorithm;
    options.options = plan.options;
    return options;
}

[[nodiscard]] JablonowskiWilliamson flow_of(const HommePlan& plan) {
    return {earth_radius, earth_rotation, gas_constant, gravity,
            plan.flow == Case::baroclinic_wave};
}

/// Adds up the mass of shared points; element by element the result is the same on any ranks.
Task assemble_mass(Comm& comm, const HommePlan& plan, std::vector<SeElement>& elements) {
    std::vector<double> mass;
    for (const SeElement& element : elements)
        mass.insert(mass.end(), element.metric.mass, element.metric.mass + se_points);
    MeshExchange exchange(comm, part(plan, comm.rank()), 1, {}, true);
    const MeshField field{mass.data(), 1, 1, 1};
    co_await exchange.exchange(comm, {&field, 1});
    for (std::size_t n = 0; n < mass.size(); ++n)
        elements[n / se_points].per_mass[n % se_points] = 1.0 / mass[n];
}

}  // namespace

SeCore::SeCore(Comm& comm, const HommePlan& plan, bool has_data)
    : plan_(&plan),
      first_(plan.partition.start(comm.rank())),
      count_(plan.partition.size(comm.rank())),
      has_data_(has_data),
      column_{plan.levels.count(), spectral::blocks_of(plan.levels.count()), plan.levels.top()},
      derivatives_(plan.rule),
      exchange_(comm, part(plan, comm.rank()), std::int64_t(field_count) * plan.levels.count(),
                options_of(plan), has_data) {
    if (!has_data) {
        const FieldShape none{0, se_points, column_.levels};
        now_ = first_stage_ = work_ = Fields(none);
        return;
    }
    const FieldShape shape{count_, se_points, column_.levels};
    now_ = first_stage_ = work_ = Fields(shape);
    scratch_.emplace(column_.blocks);
    remap_.emplace(plan.levels);
    elements_.reserve(std::size_t(count_));
    for (std::int64_t e = 0; e < count_; ++e) {
        SeElement& element = elements_.emplace_back();
        element.metric = SeMetric(plan.geometry, plan.rule, first_ + e, earth_radius);
        for (int p = 0; p < se_points; ++p) {
            const double latitude = element.metric.latitude[p];
            element.coriolis[p] = 2 * earth_rotation * std::sin(latitude);
            element.surface_geopotential[p] = flow_of(plan).surface_geopotential(latitude);
        }
    }
}

void SeCore::set_initial_state() {
    const JablonowskiWilliamson flow = flow_of(*plan_);
    const HybridLevels& levels = plan_->levels;
    for (std::int64_t e = 0; e < count_; ++e) {
        const SeMetric& metric = elements_[std::size_t(e)].metric;
        for (int p = 0; p < se_points; ++p) {
            const std::int64_t padded = column_.blocks * spectral::lane_width;
            for (std::int64_t n = 0; n < padded; ++n) {
                const std::int64_t k = std::min(n, column_.levels - 1);
                const auto upper = std::size_t(k);
                const double eta = 0.5 * (levels.a[upper] + levels.b[upper] +
                                          levels.a[upper + 1] + levels.b[upper + 1]);
                now_.levels(east, e, p)[n] =
                    flow.wind(metric.longitude[p], metric.latitude[p], eta);
                now_.levels(north, e, p)[n] = 0.0;
                now_.levels(temperature, e, p)[n] = flow.temperature(metric.latitude[p], eta);
                now_.levels(thickness, e, p)[n] = levels.thickness(k, reference_pressure);
            }
        }
    }
}

Task SeCore::begin(Comm& comm) {
    co_await exchange_.connect(comm);
    if (!has_data_) co_return;
    co_await assemble_mass(comm, *plan_, elements_);
    set_initial_state();
}

Task SeCore::assemble(Comm& comm, Fields& fields) {
    auto views = fields.views();
    comm.begin_phase("exchange");
    co_await exchange_.exchange(comm, views);
    comm.begin_phase("computation");
    if (!has_data_) co_return;
    for (std::int64_t e = 0; e < count_; ++e)
        se_divide(elements_[std::size_t(e)], column_, element_of(fields, e));
}

Task SeCore::stage(Comm& comm, const SeStage& stage, const Fields& b, const Fields& of,
                   Fields& result) {
    if (has_data_) {
        for (std::int64_t e = 0; e < count_; ++e) {
            se_stage(derivatives_, elements_[std::size_t(e)], column_, stage,
                     element_of(std::as_const(now_), e), element_of(b, e), element_of(of, e),
                     element_of(result, e), *scratch_);
        }
    }
    const double numbers = double(count_ * se_points * column_.levels);
    co_await comm.compute(work_on(numbers, stage_flops, stage_arrays));
    co_await assemble(comm, result);
}

Task SeCore::apply_viscosity(Comm& comm) {
    const double step = plan_->time_step / double(plan_->viscosity_steps);
    const SeViscosity viscosity{plan_->hyperviscosity * step, plan_->top_viscosity * step};
    const double numbers = double(count_ * se_points * column_.levels);
    for (std::int64_t n = 0; n < plan_->viscosity_steps; ++n) {
        for (std::int64_t e = 0; has_data_ && e < count_; ++e) {
            se_laplacian(derivatives_, elements_[std::size_t(e)], column_,
                         element_of(std::as_const(now_), e), element_of(work_, e));
        }
        co_await comm.compute(work_on(numbers, laplacian_flops, laplacian_arrays));
        co_await assemble(comm, work_);
        for (std::int64_t e = 0; has_data_ && e < count_; ++e) {
            se_viscosity(derivatives_, elements_[std::size_t(e)], column_, viscosity,
                         element_of(std::as_const(now_), e), element_of(work_, e));
        }
        co_await comm.compute(work_on(numbers, laplacian_flops, laplacian_arrays));
        auto views = work_.views();
        comm.begin_phase("exchange");
        co_await exchange_.exchange(comm, views);
        comm.begin_phase("computation");
        for (std::int64_t e = 0; has_data_ && e < count_; ++e) {
            se_add_viscosity(elements_[std::size_t(e)], column_,
                             element_of(std::as_const(work_), e), element_of(now_, e));
        }
    }
}

Task SeCore::step(Comm& comm, std::int64_t step) {
    const double dt = plan_->time_step;
    comm.begin_phase("computation");
    co_await stage(comm, {1.0, 0.0, dt / 5}, now_, now_, first_stage_);
    co_await stage(comm, {1.0, 0.0, dt / 5}, now_, first_stage_, work_);
    co_await stage(comm, {1.0, 0.0, dt / 3}, now_, work_, work_);
    co_await stage(comm, {1.0, 0.0, 2 * dt / 3}, now_, work_, work_);
    co_await stage(comm, {-0.25, 1.25, 3 * dt / 4}, first_stage_, work_, now_);
    if (plan_->hyperviscosity > 0.0 || plan_->top_viscosity > 0.0) co_await apply_viscosity(comm);
    if ((step + 1) % plan_->remap_every != 0) co_return;
    comm.begin_phase("remap");
    if (has_data_) remap_->apply(now_);
    const double numbers = double(count_ * se_points * column_.levels);
    co_await comm.compute(work_on(numbers, remap_flops, remap_arrays));
}

}  // namespace tradewind::homme
