/// The sequence of kernels and exchanges.
#include "tradewind/models/homme/se/se_core.hpp"

#include <utility>

#include "tradewind/models/homme/mesh/operators.hpp"
#include "tradewind/models/homme/mesh/partition.hpp"
#include "tradewind/models/homme/se/se_shallow_water.hpp"
#include "tradewind/models/homme/work.hpp"

namespace tradewind::homme {

namespace {

[[nodiscard]] MeshPart part(const HommePlan& plan, Rank rank) {
    return part_of(plan.mesh, plan.partition, rank, se_np, Connectivity::edges_and_corners,
                   ReceivedAs::own_points);
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
    : Core(comm, plan, has_data),
      derivatives_(plan.rule),
      exchange_(comm, with_blocks(part(plan, comm.rank()), column().blocks),
                std::int64_t(plan.fields()) * plan.layers, plan.exchange, has_data) {
    now_ = first_stage_ = work_ = Fields(shape(se_points));
    if (!has_data) return;
    scratch_.emplace(column().blocks);
    if (!plan.shallow_water) remap_.emplace(plan.levels);
    elements_.resize(std::size_t(count()));
    for (std::int64_t e = 0; e < count(); ++e) {
        SeElement& element = elements_[std::size_t(e)];
        element.metric = SeMetric(plan.geometry, plan.rule, element_number(e), plan.radius());
        for (int p = 0; p < se_points; ++p) {
            const PointGeometry point =
                plan.geometry.point(element_number(e), p % se_np, p / se_np);
            element.coriolis[p] = plan.coriolis(point);
            element.surface_geopotential[p] = plan.surface_geopotential(point);
        }
    }
}

const double* SeCore::mass(std::int64_t element) const {
    return elements_[std::size_t(element)].metric.mass;
}

const double* SeCore::surface_geopotential(std::int64_t element) const {
    return elements_[std::size_t(element)].surface_geopotential;
}

void SeCore::find_vorticity(std::int64_t element, Lanes* result) const {
    vorticity_of<se_np>(derivatives_, elements_[std::size_t(element)].metric, column().blocks,
                        now_.at(east, element), now_.at(north, element), result);
}

Task SeCore::begin(Comm& comm) {
    co_await exchange_.connect(comm);
    if (!has_data()) co_return;
    co_await assemble_mass(comm, plan(), elements_);
    for (std::int64_t e = 0; e < count(); ++e) set_initial_state(e);
}

Task SeCore::finish(Comm& comm) {
    co_await exchange_.finish(comm);
}

Task SeCore::assemble(Comm& comm, Fields& fields) {
    const FieldViews views = fields.views();
    comm.begin_phase("exchange");
    co_await exchange_.exchange(comm, views.span());
    comm.begin_phase("computation");
    if (!has_data()) co_return;
    for (std::int64_t e = 0; e < count(); ++e)
        se_divide(elements_[std::size_t(e)], column(), element_of(fields, e));
}

Task SeCore::stage(Comm& comm, const SeStage& stage, const Fields& b, const Fields& of,
                   Fields& result) {
    const bool is_shallow = bool(plan().shallow_water);
    for (std::int64_t e = 0; has_data() && e < count(); ++e) {
        const SeElement& element = elements_[std::size_t(e)];
        const ConstElementFields a = element_of(std::as_const(now_), e);
        if (is_shallow) {
            se_shallow_water_stage(derivatives_, element, column(), stage, a, element_of(b, e),
                                   element_of(of, e), element_of(result, e));
        } else {
            se_stage(derivatives_, element, column(), stage, a, element_of(b, e), element_of(of, e),
                     element_of(result, e), *scratch_);
        }
    }
    co_await comm.compute(stage_work(plan(), numbers()));
    co_await assemble(comm, result);
}

Task SeCore::apply_viscosity(Comm& comm) {
    const double step = plan().time_step / double(plan().viscosity_steps);
    const bool is_shallow = bool(plan().shallow_water);
    const Work laplacian = laplacian_work(plan(), numbers());
    const SeViscosity viscosity{plan().hyperviscosity * step, plan().top_viscosity * step};
    for (std::int64_t n = 0; n < plan().viscosity_steps; ++n) {
        for (std::int64_t e = 0; has_data() && e < count(); ++e) {
            se_laplacian(derivatives_, elements_[std::size_t(e)], column(),
                         element_of(std::as_const(now_), e), element_of(work_, e));
        }
        co_await comm.compute(laplacian);
        co_await assemble(comm, work_);
        for (std::int64_t e = 0; has_data() && e < count(); ++e) {
            se_viscosity(derivatives_, elements_[std::size_t(e)], column(), viscosity,
                         element_of(std::as_const(now_), e), element_of(work_, e));
        }
        co_await comm.compute(laplacian);
        const FieldViews views = work_.views();
        comm.begin_phase("exchange");
        co_await exchange_.exchange(comm, views.span());
        comm.begin_phase("computation");
        for (std::int64_t e = 0; has_data() && e < count(); ++e) {
            (is_shallow ? se_shallow_water_add_viscosity : se_add_viscosity)(
                elements_[std::size_t(e)], column(), element_of(std::as_const(work_), e),
                element_of(now_, e));
        }
    }
}

Task SeCore::step(Comm& comm, std::int64_t step) {
    const double dt = plan().time_step;
    comm.begin_phase("computation");
    co_await stage(comm, {1.0, 0.0, dt / 5}, now_, now_, first_stage_);
    co_await stage(comm, {1.0, 0.0, dt / 5}, now_, first_stage_, work_);
    co_await stage(comm, {1.0, 0.0, dt / 3}, now_, work_, work_);
    co_await stage(comm, {1.0, 0.0, 2 * dt / 3}, now_, work_, work_);
    co_await stage(comm, {-0.25, 1.25, 3 * dt / 4}, first_stage_, work_, now_);
    if (plan().hyperviscosity > 0.0 || plan().top_viscosity > 0.0) co_await apply_viscosity(comm);
    if (plan().shallow_water || (step + 1) % plan().remap_every != 0) co_return;
    comm.begin_phase("remap");
    if (has_data()) remap_->apply(now_);
    co_await comm.compute(work_on(numbers(), remap_flops, remap_arrays));
}

}  // namespace tradewind::homme
