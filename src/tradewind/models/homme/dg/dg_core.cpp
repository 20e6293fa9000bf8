/// The sequence of kernels and exchanges.
#include "tradewind/models/homme/dg/dg_core.hpp"

#include <utility>

#include "tradewind/models/homme/dg/dg_shallow_water.hpp"
#include "tradewind/models/homme/mesh/operators.hpp"
#include "tradewind/models/homme/mesh/partition.hpp"
#include "tradewind/models/homme/work.hpp"

namespace tradewind::homme {

namespace {

[[nodiscard]] MeshExchange make_exchange(Comm& comm, const HommePlan& plan, Tag tag,
                                         std::size_t fields, bool has_data) {
    MeshExchangeOptions options = plan.exchange;
    options.combination = MeshCombination::copy;
    options.tag = tag;
    return {comm,
            with_blocks(part_of(plan.mesh, plan.partition, comm.rank(), dg_np, plan.connectivity,
                                ReceivedAs::traces),
                        spectral::blocks_of(plan.layers)),
            std::int64_t(fields) * plan.layers, std::move(options), has_data};
}

}  // namespace

DgCore::DgCore(Comm& comm, const HommePlan& plan, bool has_data)
    : Core(comm, plan, has_data),
      derivatives_(plan.rule),
      exchange_(make_exchange(comm, plan, 0, plan.fields(), has_data)) {
    now_ = work_ = Fields(shape(dg_points));
    traces_ = Fields(shape(dg_trace_slots));
    if (plan.viscosity > 0.0) {
        gradients_ = Fields(shape(dg_points, gradient_count));
        gradient_traces_ = Fields(shape(dg_trace_slots, gradient_count));
        gradient_exchange_ = make_exchange(comm, plan, 1, gradient_count, has_data);
    }
    if (plan.filter_time > 0.0) {
        filter_.emplace(plan.rule, plan.time_step * double(plan.remap_every) / plan.filter_time,
                        plan.filter_order);
    }
    if (!has_data) return;
    if (!plan.shallow_water) {
        auxiliary_ = Fields(shape(dg_points));
        scratch_.emplace(column().blocks);
        remap_.emplace(plan.levels);
    }
    elements_.resize(std::size_t(count()));
    for (std::int64_t e = 0; e < count(); ++e) {
        DgElement& element = elements_[std::size_t(e)];
        element.metric = DgMetric(plan.geometry, plan.rule, element_number(e), plan.radius());
        element.edges = ElementEdges<dg_np>(element.metric, plan.rule);
        for (int p = 0; p < dg_points; ++p) {
            const PointGeometry point =
                plan.geometry.point(element_number(e), p % dg_np, p / dg_np);
            element.coriolis[p] = plan.coriolis(point);
            element.surface_geopotential[p] = plan.surface_geopotential(point);
        }
    }
}

const double* DgCore::mass(std::int64_t element) const {
    return elements_[std::size_t(element)].metric.mass;
}

const double* DgCore::surface_geopotential(std::int64_t element) const {
    return elements_[std::size_t(element)].surface_geopotential;
}

void DgCore::find_vorticity(std::int64_t element, Lanes* result) const {
    vorticity_of<dg_np>(derivatives_, elements_[std::size_t(element)].metric, column().blocks,
                        now_.at(east, element), now_.at(north, element), result);
}

Task DgCore::begin(Comm& comm) {
    co_await exchange_.connect(comm);
    if (gradient_exchange_) co_await gradient_exchange_->connect(comm);
    for (std::int64_t e = 0; has_data() && e < count(); ++e) set_initial_state(e);
}

Task DgCore::prepare(Comm& comm, const Fields& of) {
    if (plan().shallow_water) co_return;
    comm.begin_phase("computation");
    for (std::int64_t e = 0; has_data() && e < count(); ++e) {
        dg_prepare(derivatives_, elements_[std::size_t(e)], column(), element_of(of, e),
                   element_of(auxiliary_, e));
    }
    co_await comm.compute(work_on(numbers(), dg_prepare_flops, dg_prepare_arrays));
}

Task DgCore::exchange_gradients(Comm& comm, const Fields& of) {
    for (std::int64_t e = 0; has_data() && e < count(); ++e) {
        dg_gradients(derivatives_, elements_[std::size_t(e)], column(), element_of(of, e),
                     element_of(std::as_const(traces_), e), element_of(gradients_, e));
    }
    co_await comm.compute(work_on(numbers(), dg_gradient_flops, dg_gradient_arrays));
    comm.begin_phase("exchange");
    const FieldViews from = gradients_.views();
    const FieldViews into = gradient_traces_.views();
    co_await gradient_exchange_->send(comm, from.span());
    co_await gradient_exchange_->receive(comm, from.span(), into.span());
}

Task DgCore::stage(Comm& comm, double first, double second, Fields& of, Fields& result) {
    const FieldViews from = of.views();
    const FieldViews into = traces_.views();
    const bool overlaps = plan().overlaps;
    if (!overlaps) co_await prepare(comm, of);
    comm.begin_phase("exchange");
    co_await exchange_.send(comm, from.span());
    if (overlaps) co_await prepare(comm, of);
    comm.begin_phase("exchange");
    co_await exchange_.receive(comm, from.span(), into.span());
    comm.begin_phase("computation");
    if (gradient_exchange_) co_await exchange_gradients(comm, of);
    comm.begin_phase("computation");
    const DgStage stage{first, second, plan().time_step, plan().wave_speed, plan().viscosity};
    const bool is_shallow = bool(plan().shallow_water);
    for (std::int64_t e = 0; has_data() && e < count(); ++e) {
        const DgElement& element = elements_[std::size_t(e)];
        const ConstElementFields a = element_of(std::as_const(now_), e);
        const ConstElementFields now = element_of(std::as_const(of), e);
        const ConstElementFields traces = element_of(std::as_const(traces_), e);
        ConstElementFields gradients{};
        ConstElementFields gradient_traces{};
        if (gradient_exchange_) {
            gradients = element_of(std::as_const(gradients_), e);
            gradient_traces = element_of(std::as_const(gradient_traces_), e);
        }
        if (is_shallow) {
            dg_shallow_water_stage(derivatives_, element, column(), stage, a, now, traces,
                                   gradients, gradient_traces, element_of(result, e));
        } else {
            dg_stage(derivatives_, element, column(), stage, a, now,
                     element_of(std::as_const(auxiliary_), e), traces, gradients, gradient_traces,
                     element_of(result, e), *scratch_);
        }
    }
    co_await comm.compute(dg_stage_work(plan(), numbers()));
}

Task DgCore::step(Comm& comm, std::int64_t step) {
    co_await stage(comm, 0.0, 1.0, now_, work_);
    co_await stage(comm, 0.75, 0.25, work_, work_);
    co_await stage(comm, 1.0 / 3, 2.0 / 3, work_, now_);
    if (plan().shallow_water || (step + 1) % plan().remap_every != 0) co_return;
    comm.begin_phase("remap");
    if (has_data()) remap_->apply(now_);
    co_await comm.compute(work_on(numbers(), remap_flops, remap_arrays));
    if (!filter_) co_return;
    for (std::int64_t e = 0; has_data() && e < count(); ++e)
        dg_filter(*filter_, elements_[std::size_t(e)], column(), element_of(now_, e));
    co_await comm.compute(work_on(numbers(), dg_filter_flops, dg_filter_arrays));
}

Task DgCore::finish(Comm& comm) {
    co_await exchange_.finish(comm);
    if (gradient_exchange_) co_await gradient_exchange_->finish(comm);
}

}  // namespace tradewind::homme
