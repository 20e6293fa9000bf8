/// Overlap: the part of a message's time that computation on its rank can hide.
///
/// The method is post-work-wait, as in the Sandia benchmark mpi_overhead: rank 0 posts a send (or a
/// receive), works, and waits; the last rank only makes the matching call. The work grows until it
/// dominates; then
///
///     overhead = iter_t - work_t          the message's share of the processor of rank 0
///     availability = 1 - overhead / base_t
///
/// where base_t is the time without work, iter_t the time of message and work, and work_t the time
/// of the work alone. jamroz2016 (figure 1) plots overhead and the work needed to hide the message.
#include <algorithm>

#include "tradewind/measure/measurement.hpp"
#include "tradewind/measure/timing.hpp"

namespace tradewind::measure {

namespace {

/// The work dominates when a repetition takes longer than the message alone by this factor.
constexpr double work_dominates = 1.5;
/// The work counts as completely hidden while a repetition takes less than this factor times the
/// time without work.
constexpr double fully_visible = 1.02;
constexpr std::int64_t first_work = 256;
constexpr std::int64_t most_work = std::int64_t{1} << 34;

struct OverlapPlan {
    std::vector<Bytes> sizes;
    Repetitions repetitions;
    bool payload = true;
};

/// Makes multiplications and additions that depend on each other, so that the compiler cannot
/// remove them.
void multiply_and_add(std::int64_t steps) {
    volatile double result = 0.0;
    double value = 1.0;
    for (std::int64_t i = 0; i < steps; ++i) value = value * 0.999999 + 1e-6;
    result = value;
    (void)result;
}

/// One repetition: message, work, or both; rank 0 sends or receives.
struct Step {
    bool sends = true;
    bool message = true;
    std::int64_t work = 0;
    bool real_work = true;
};

Task step(Comm& comm, Step what, Buffer data) {
    const Rank last = comm.size() - 1;
    if (comm.rank() != 0 && comm.rank() != last) co_return;
    const bool worker = comm.rank() == 0;
    Request request;
    if (what.message) {
        request = worker == what.sends ? comm.isend(last - comm.rank(), data)
                                       : comm.irecv(last - comm.rank(), data);
    }
    if (worker && what.work > 0) {
        if (what.real_work) multiply_and_add(what.work);
        co_await comm.compute({2.0 * double(what.work), 0});
    }
    co_await comm.wait(request);
}

double median(std::vector<double> values) {
    const auto middle = values.begin() + std::ptrdiff_t(values.size() / 2);
    std::ranges::nth_element(values, middle);
    return *middle;
}

Task time_step(Comm& comm, const OverlapPlan& plan, Step what, Buffer data,
               std::vector<double>& seconds) {
    const Program body = [=](Comm& on) { return step(on, what, data); };
    co_await timed(comm, body, plan.repetitions, seconds);
}

/// Measures one size. All ranks know the times of the slowest rank, so that all take the same
/// decisions.
Task measure(Comm& comm, const OverlapPlan& plan, bool sends, Buffer data, Row& row) {
    std::vector<double> seconds;
    Step what{sends, true, 0, plan.payload};
    co_await time_step(comm, plan, what, data, seconds);
    row.seconds = seconds;
    double base = median(seconds);
    double iteration = base;
    double hidden = 0.0;
    for (what.work = first_work; what.work < most_work; what.work *= 2) {
        co_await time_step(comm, plan, what, data, seconds);
        iteration = median(seconds);
        if (iteration > work_dominates * base) break;
        if (iteration < fully_visible * base) {
            base = std::min(base, iteration);
            hidden = double(what.work);
        }
    }
    what.message = false;
    co_await time_step(comm, plan, what, data, seconds);
    const double work = median(seconds);
    const double overhead = std::max(iteration - work, 0.0);
    row.values = {{"base_s", base},
                  {"iteration_s", iteration},
                  {"work_s", work},
                  {"overhead_s", overhead},
                  {"hidden_work_s", hidden / double(what.work) * work},
                  {"availability", base > 0 ? 1.0 - std::min(overhead / base, 1.0) : 0.0}};
}

Task run(Comm& comm, const OverlapPlan& plan, Rows* rows) {
    Memory memory(*std::ranges::max_element(plan.sizes), plan.payload);
    for (const Bytes bytes : plan.sizes) {
        for (const bool sends : {true, false}) {
            Row row{sends ? "send" : "receive", bytes, {}};
            co_await measure(comm, plan, sends, memory.first(bytes), row);
            if (rows != nullptr) rows->push_back(row);
        }
    }
}

Program make_overlap(const Settings& settings, Rank ranks, const Platform& /*platform*/,
                     Rows& rows) {
    if (ranks < 2) throw ConfigError(text("overlap: ranks = ", ranks, ", must be at least 2"));
    const OverlapPlan plan{read_sizes(settings), read_repetitions(settings),
                           given::payload.of(settings)};
    return
        [plan, &rows](Comm& comm) { return run(comm, plan, comm.rank() == 0 ? &rows : nullptr); };
}

}  // namespace

extern const MeasurementEntry overlap_entry;
constinit const MeasurementEntry overlap_entry = {
    .name = "overlap",
    .summary = "how much of a message's time computation can hide (Sandia host overhead)",
    .settings = given::usual,
    .prepare = make_overlap,
};

}  // namespace tradewind::measure
