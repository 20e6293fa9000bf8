/// The steps as coroutines.
#include "tradewind/models/pstswm/run.hpp"

#include <algorithm>
#include <memory>

#include "tradewind/comm/sub_comm.hpp"
#include "tradewind/models/pstswm/model.hpp"
#include "tradewind/models/pstswm/parallel/channels.hpp"
#include "tradewind/models/pstswm/parallel/gather.hpp"
#include "tradewind/models/pstswm/parallel/ring.hpp"

namespace tradewind::pstswm {

namespace {

/// The state that the coroutines of one rank share. Without a model they send null buffers.
struct Context {
    Context(Comm& comm, const ShallowWaterPlan& plan, bool is_real)
        : layout(plan, comm.rank()),
          row(row_of(comm, plan.mesh.px)),
          column(column_of(comm, plan.mesh.px)),
          channels(row, column, plan, is_real),
          inverse(layout.shapes(plan.inverse_fields())),
          forward(layout.shapes(plan.forward_fields())),
          model(is_real ? std::make_unique<ShallowWaterModel>(layout) : nullptr) {}

    [[nodiscard]] const ShallowWaterPlan& plan() const noexcept { return layout.plan(); }
    /// Returns the data of an exchange between two arrays of a chain of the model.
    [[nodiscard]] ExchangeData between(TransformArrays ShallowWaterModel::* chain,
                                       LaneVector TransformArrays::* from,
                                       LaneVector TransformArrays::* to) const {
        if (!model) return {};
        TransformArrays& arrays = (*model).*chain;
        return {&(arrays.*from), &(arrays.*to), &model->messages};
    }

    ArrayLayout layout;
    SubComm row;
    SubComm column;
    Channels channels;
    Shapes inverse;
    Shapes forward;
    std::unique_ptr<ShallowWaterModel> model;
};

/// Transforms `fourier` to `grid`, by transposition there and back or across ranks.
Task fourier_to_grid(Comm& comm, Context& context) {
    const ShallowWaterPlan& plan = context.plan();
    ShallowWaterModel* const model = context.model.get();
    comm.begin_phase("fft exchange");
    if (plan.fft_method == FftMethod::distributed) {
        DfftData data;
        if (model != nullptr) data = model->distributed_fft(model->inverse);
        data.delivery = context.channels.in_row;
        co_await dfft_inverse(context.row, context.layout, plan.inverse_fields(), data);
        co_return;
    }
    const auto waves = context.between(&ShallowWaterModel::inverse, &TransformArrays::fourier,
                                       &TransformArrays::waves);
    co_await exchange(context.row, context.inverse.fourier, true, context.channels.fft, waves);
    comm.begin_phase("fft");
    if (model != nullptr) model->fft_inverse();
    co_await comm.compute(context.layout.fft_work(plan.inverse_fields()));
    comm.begin_phase("fft exchange");
    const auto lines = context.between(&ShallowWaterModel::inverse, &TransformArrays::lines,
                                       &TransformArrays::grid);
    co_await exchange(context.row, context.inverse.grid, false, context.channels.fft, lines);
}

Task grid_to_fourier(Comm& comm, Context& context) {
    const ShallowWaterPlan& plan = context.plan();
    ShallowWaterModel* const model = context.model.get();
    comm.begin_phase("fft exchange");
    if (plan.fft_method == FftMethod::distributed) {
        DfftData data;
        if (model != nullptr) data = model->distributed_fft(model->forward);
        data.delivery = context.channels.in_row;
        co_await dfft_forward(context.row, context.layout, context.forward.fields, data);
        co_return;
    }
    const auto lines = context.between(&ShallowWaterModel::forward, &TransformArrays::grid,
                                       &TransformArrays::lines);
    co_await exchange(context.row, context.forward.grid, true, context.channels.fft, lines);
    comm.begin_phase("fft");
    if (model != nullptr) model->fft_forward();
    co_await comm.compute(context.layout.fft_work(context.forward.fields));
    comm.begin_phase("fft exchange");
    const auto waves = context.between(&ShallowWaterModel::forward, &TransformArrays::waves,
                                       &TransformArrays::fourier);
    co_await exchange(context.row, context.forward.fourier, false, context.channels.fft, waves);
}

/// Transforms the coefficients of `state` to fields on the grid.
Task to_grid(Comm& comm, Context& context, const State* state) {
    const ArrayLayout& layout = context.layout;
    ShallowWaterModel* const model = context.model.get();
    comm.begin_phase("legendre");
    if (context.plan().legendre == LegendreMethod::ring) {
        co_await ring_inverse(context.column, layout, context.channels.in_column, state, model);
    } else {
        if (model != nullptr) model->synthesise(*state);
        if (model != nullptr) model->legendre_inverse();
        co_await comm.compute(
            layout.legendre_work(layout.plan().inverse_fields(), layout.own_levels()));
    }
    if (layout.is_transposed()) {
        comm.begin_phase("legendre exchange");
        const auto data = context.between(&ShallowWaterModel::inverse, &TransformArrays::legendre,
                                          &TransformArrays::fourier);
        co_await exchange(context.column, context.inverse.legendre, false,
                          context.channels.legendre_transpose, data);
    }
    co_await fourier_to_grid(comm, context);
}

/// Sums the tendencies over a column.
Task sum_tendencies(Comm& comm, Context& context) {
    const ArrayLayout& layout = context.layout;
    const Bytes size = Bytes(sizeof(double)) * 6 * layout.coefficients() * layout.own_levels();
    const ShallowWaterPlan& plan = context.plan();
    comm.begin_phase("legendre exchange");
    const Buffer data = context.model ? Buffer(std::span(context.model->tendency)) : Buffer(size);
    const AllreduceAlgorithm& algorithm = *plan.legendre_sum.algorithm;
    co_await algorithm.run(context.column, {data, sum<double>()}, context.channels.legendre_sum);
}

/// Transforms the fields in `forward.grid` to tendencies.
Task to_tendencies(Comm& comm, Context& context, bool is_start) {
    const ArrayLayout& layout = context.layout;
    const std::int64_t fields = context.forward.fields;
    ShallowWaterModel* const model = context.model.get();
    co_await grid_to_fourier(comm, context);
    if (context.plan().legendre == LegendreMethod::ring) {
        comm.begin_phase("legendre");
        co_await ring_forward(context.column, layout, context.channels.in_column,
                              {fields, is_start, model});
        co_return;
    }
    if (layout.is_transposed()) {
        comm.begin_phase("legendre exchange");
        const auto data = context.between(&ShallowWaterModel::forward, &TransformArrays::fourier,
                                          &TransformArrays::legendre);
        co_await exchange(context.column, context.forward.legendre, true,
                          context.channels.legendre_transpose, data);
    }
    comm.begin_phase("legendre");
    if (model != nullptr) {
        model->legendre_forward();
        model->analyse(is_start);
    }
    co_await comm.compute(layout.legendre_work(fields, layout.own_levels()));
    if (!layout.is_transposed()) co_await sum_tendencies(comm, context);
}

void check_finite(const ShallowWaterModel& model, const ShallowWaterPlan& plan, std::int64_t step) {
    const std::int64_t level = model.broken_level();
    if (level < 0) return;
    throw Error(text("pstswm: level ", level, " is not finite after step ", step, " of ",
                     plan.steps, " (case ", plan.case_number, ", T", plan.truncation,
                     ", time_step = ", plan.time_step,
                     " s): the run is unstable, try a smaller step or diffusion"));
}

/// Gathers the present state on rank 0 and shows it.
Task observe(Comm& comm, Context& context, std::int64_t step, SnapshotObserver& observer) {
    ShallowWaterModel& model = *context.model;
    SnapshotGather gather(context.layout);
    co_await to_grid(comm, context, &model.now);
    check_finite(model, context.plan(), step);
    gather.take_flow(model);
    const State shown = model.divergence_as_vorticity();
    co_await to_grid(comm, context, &shown);
    gather.take_divergence(model);
    comm.begin_phase("gather");
    co_await gather.collect(comm);
    if (comm.rank() == 0) {
        gather.snapshot().step = step;
        gather.snapshot().time = double(step) * context.plan().time_step;
        observer.observed(gather.snapshot());
    }
}

/// Makes one step. Step 0 is the first half step; step k > 0 leads to the time k time_step.
Task step_once(Comm& comm, Context& context, std::int64_t step) {
    ShallowWaterModel* const model = context.model.get();
    const ShallowWaterPlan& plan = context.plan();
    const State* const now = model != nullptr ? &model->now : nullptr;
    co_await to_grid(comm, context, now);
    comm.begin_phase("products");
    if (model != nullptr) {
        check_finite(*model, plan, std::max<std::int64_t>(step - 1, 0));
        const double since = step == 0 ? 0.0 : step == 1 ? 0.5 : double(step - 1);
        model->multiply(since * plan.time_step);
        if (plan.has_old_level()) model->carry_old_level(step);
    }
    co_await comm.compute(context.layout.product_work(context.forward.fields));
    co_await to_tendencies(comm, context, false);
    comm.begin_phase("time step");
    if (model != nullptr) model->advance(step);
    co_await comm.compute(context.layout.spectral_work());
}

/// Transforms the initial flow on the grid to its coefficients.
Task begin(Comm& comm, Context& context) {
    ShallowWaterModel* const model = context.model.get();
    if (context.plan().diffusion > 0) {
        if (model != nullptr) model->set_ground();
        co_await to_tendencies(comm, context, true);
        if (model != nullptr) model->keep_ground();
    }
    if (model != nullptr) model->set_initial();
    co_await to_tendencies(comm, context, true);
    if (model != nullptr) model->keep_initial();
}

void check_ranks(const Comm& comm, const ShallowWaterPlan& plan) {
    if (comm.size() == plan.mesh.px * plan.mesh.py) return;
    throw ConfigError(text("pstswm: a plan for ", plan.mesh.px, " x ", plan.mesh.py,
                           " ranks was started on ", comm.size()));
}

Task run_messages(Comm& comm, const ShallowWaterPlan& plan) {
    const auto context = std::make_unique<Context>(comm, plan, false);
    if (!plan.starts_under_way) co_await begin(comm, *context);
    for (std::int64_t step = plan.starts_under_way ? 1 : 0; step <= plan.steps; ++step)
        co_await step_once(comm, *context, step);
}

/// Continues after the step of a checkpoint, which it returns in `step`.
Task restart(Comm& comm, ShallowWaterModel& model, const Checkpoints& checkpoints,
             std::int64_t last_step, std::int64_t& step) {
    std::vector<double> numbers;
    co_await checkpoints.read(comm, last_step, step, numbers);
    model.restore(numbers);
}

Task run_data(Comm& comm, const ShallowWaterPlan& plan, SnapshotObserver& observer,
              const Checkpoints& checkpoints) {
    const auto context = std::make_unique<Context>(comm, plan, true);
    ShallowWaterModel& model = *context->model;
    co_await begin(comm, *context);
    std::int64_t step = 0;
    if (checkpoints.restarts()) {
        co_await restart(comm, model, checkpoints, plan.steps, step);
    } else {
        co_await observe(comm, *context, 0, observer);
        co_await step_once(comm, *context, 0);
    }
    for (++step; step <= plan.steps; ++step) {
        co_await step_once(comm, *context, step);
        if (comm.rank() == 0) observer.stepped(step);
        if (plan.is_output_step(step)) co_await observe(comm, *context, step, observer);
        if (!checkpoints.is_due(step)) continue;
        const std::vector<double> numbers = model.checkpoint();
        co_await checkpoints.write(comm, step, numbers);
    }
}

}  // namespace

Task run_model(Comm& comm, const ShallowWaterPlan& plan, SnapshotObserver& observer,
               const Checkpoints& checkpoints) {
    require_data(plan);
    check_ranks(comm, plan);
    return run_data(comm, plan, observer, checkpoints);
}

Task run_model(Comm& comm, const ShallowWaterPlan& plan, SnapshotObserver& observer) {
    static const Checkpoints none;
    return run_model(comm, plan, observer, none);
}

Task run_skeleton(Comm& comm, const ShallowWaterPlan& plan) {
    check_ranks(comm, plan);
    return run_messages(comm, plan);
}

}  // namespace tradewind::pstswm
