/// Overlap: the part of a message's time that computation on its rank can hide.
///
/// The method is post-work-wait, that of mpi_overhead in the Sandia MPI Micro-Benchmark Suite. Rank
/// 0 posts a message, works, and waits; the last rank only makes the matching call:
///
///     rank 0 sends:     barrier | isend   work   wait         last:  irecv   barrier | wait
///     rank 0 receives:  irecv   barrier | work   wait         last:  barrier | isend   wait
///
/// The time of a repetition is that of rank 0 from the bar on. For each size the work is none, then
/// some, then twice as much, and so on; iter_t is the mean of the repetitions of one amount.
///
///     base_t         mean of the iter_t that are below fully_visible times the base_t so far
///     end            iter_t > work_dominates * base_t; then work_t: the same work, no message
///     overhead       iter_t - work_t, the message's share of the processor of rank 0
///     availability   1 - overhead / base_t
///
/// jamroz2016 (figure 1) plots overhead and work_t over the size.
#include "tradewind/measure/overlap.hpp"

#include <algorithm>
#include <numeric>
#include <optional>

#include "tradewind/comm/barrier/barrier.hpp"
#include "tradewind/measure/measurement.hpp"
#include "tradewind/measure/timing.hpp"

namespace tradewind::measure {

namespace {

constexpr std::int64_t first_work = 256;
constexpr std::int64_t most_work = std::int64_t{1} << 34;

/// The average of the repetitions of one amount of work.
enum class Average : std::uint8_t { mean, median };

/// The kinds of sends that are measured.
enum class Sends : std::uint8_t { all, standard, synchronous };

constexpr auto repetitions_of_overlap =
    declare::whole("repetitions",
                   "repetitions of every amount of work; default: 1000 below 64 KiB, 100 below "
                   "8 MiB, else 10")
        .within(1, 10'000'000);
constexpr auto fully_visible =
    declare::real("fully_visible",
                  "work counts as hidden while a repetition takes less than this factor times the "
                  "time without work",
                  1.02)
        .within(1.0, 10.0);
constexpr auto work_dominates =
    declare::real("work_dominates",
                  "work grows until a repetition takes more than this factor times the time "
                  "without work",
                  1.5)
        .within(1.01, 100.0);
constexpr auto average_setting = declare::one_of<Average>(
    "average", "average of repetitions; a median leaves out those that other jobs have interrupted",
    {{"mean", Average::mean}, {"median", Average::median}});
constexpr auto send_mode = declare::one_of<Sends>(
    "send_mode",
    "standard sends, which are eager up to a limit of the library, "
    "synchronous ones, which always make a rendezvous, or both",
    {{"all", Sends::all}, {"standard", Sends::standard}, {"synchronous", Sends::synchronous}});
constexpr const Declaration* settings_of_overlap[] = {
    &given::sizes,    &repetitions_of_overlap, &given::warm_up, &given::payload,
    &average_setting, &fully_visible,          &work_dominates, &send_mode};

struct OverlapPlan {
    std::vector<Bytes> sizes;
    std::int64_t warm_up = 0;
    std::optional<std::int64_t> repetitions;
    bool payload = true;
    Average average = Average::mean;
    double fully_visible = 0.0;
    double work_dominates = 0.0;
    std::vector<SendMode> send_modes;
};

/// Makes multiplications and additions that depend on each other. Begin and end are volatile: of a
/// known number, or of one that nobody reads, the compiler would leave out the loop.
void multiply_and_add(std::int64_t steps) {
    volatile double memory = 0.5;
    double value = memory;
    for (std::int64_t i = 0; i < steps; ++i) value = value * 0.999999 + 1e-6;
    memory = value;
}

/// One repetition: message, work, or both.
struct Step {
    /// Rank 0 sends; else it receives.
    bool sends = true;
    bool message = true;
    SendMode mode = SendMode::standard;
    std::int64_t work = 0;
};

/// Makes one repetition; rank 0 gets its time.
Task repeat_once(Comm& comm, const OverlapPlan& plan, Step what, Buffer data, double& time) {
    const Rank last = comm.size() - 1;
    const bool worker = comm.rank() == 0;
    const bool takes_part = what.message && (worker || comm.rank() == last);
    const bool sender = worker == what.sends;
    Request request;
    if (takes_part && !sender) request = comm.irecv(last - comm.rank(), data);
    const auto& barrier = barrier_algorithm("dissemination");
    co_await barrier.run(comm, {barrier.default_radix});
    const Picoseconds begin = comm.now();
    if (takes_part && sender) request = comm.isend(last - comm.rank(), data, 0, what.mode);
    if (worker && what.work > 0) {
        if (plan.payload) multiply_and_add(what.work);
        co_await comm.compute({2.0 * double(what.work), 0});
    }
    co_await comm.wait(request);
    time = worker ? seconds(comm.now() - begin) : 0.0;
}

/// Makes all repetitions of one amount of work. All ranks get the times of rank 0, so that they
/// take the same decisions.
Task repeat(Comm& comm, const OverlapPlan& plan, Step what, Buffer data,
            std::vector<double>& times) {
    const std::int64_t count = plan.repetitions.value_or(overlap_repetitions(data.size()));
    times.assign(std::size_t(count), 0.0);
    double time = 0.0;
    for (std::int64_t i = -plan.warm_up; i < count; ++i) {
        co_await repeat_once(comm, plan, what, data, time);
        if (i >= 0) times[std::size_t(i)] = time;
    }
    co_await slowest(comm, times);
}

double averaged(const OverlapPlan& plan, std::vector<double> times) {
    if (plan.average == Average::mean)
        return std::accumulate(times.begin(), times.end(), 0.0) / double(times.size());
    const auto middle = times.begin() + std::ptrdiff_t(times.size() / 2);
    std::ranges::nth_element(times, middle);
    return *middle;
}

/// The mean of the times at which the message was fully visible.
class RunningBase {
public:
    void add(double time) noexcept {
        sum_ += time;
        ++count_;
    }
    [[nodiscard]] double mean() const noexcept { return sum_ / double(count_); }

private:
    double sum_ = 0.0;
    std::int64_t count_ = 0;
};

Task measure(Comm& comm, const OverlapPlan& plan, Step what, Buffer data, Row& row) {
    OverlapTimes times;
    RunningBase base;
    co_await repeat(comm, plan, what, data, row.seconds);
    base.add(averaged(plan, row.seconds));
    std::int64_t hidden = 0;
    std::vector<double> found;
    for (what.work = first_work;; what.work *= 2) {
        co_await repeat(comm, plan, what, data, found);
        times.iteration = averaged(plan, found);
        if (times.iteration < plan.fully_visible * base.mean()) {
            base.add(times.iteration);
            hidden = what.work;
        }
        if (times.iteration > plan.work_dominates * base.mean() || what.work >= most_work) break;
    }
    what.message = false;
    co_await repeat(comm, plan, what, data, found);
    times.base = base.mean();
    times.work = averaged(plan, found);
    row.values = {{"base_s", times.base},
                  {"iteration_s", times.iteration},
                  {"work_s", times.work},
                  {"overhead_s", times.overhead()},
                  {"hidden_work_s", double(hidden) / double(what.work) * times.work},
                  {"availability", times.availability()}};
}

std::string name_of(SendMode mode, bool sends) {
    return text(mode == SendMode::synchronous ? "synchronous_" : "", sends ? "send" : "receive");
}

Task run(Comm& comm, const OverlapPlan& plan, Rows* rows) {
    Memory memory(*std::ranges::max_element(plan.sizes), plan.payload);
    for (const SendMode mode : plan.send_modes) {
        for (const bool sends : {true, false}) {
            for (const Bytes bytes : plan.sizes) {
                Row row{name_of(mode, sends), bytes, {}};
                co_await measure(comm, plan, {sends, true, mode, 0}, memory.first(bytes), row);
                if (rows != nullptr) rows->push_back(row);
            }
        }
    }
}

std::vector<SendMode> read_send_modes(const Settings& settings) {
    switch (send_mode.of(settings)) {
        case Sends::standard:
            return {SendMode::standard};
        case Sends::synchronous:
            return {SendMode::synchronous};
        case Sends::all:
            break;
    }
    return {SendMode::standard, SendMode::synchronous};
}

Program make_overlap(const Settings& settings, Rank ranks, const Platform& /*platform*/,
                     Rows& rows) {
    if (ranks < 2) throw ConfigError(text("overlap: ranks = ", ranks, ", must be at least 2"));
    const OverlapPlan plan{read_sizes(settings),
                           given::warm_up.of(settings),
                           repetitions_of_overlap.find(settings),
                           given::payload.of(settings),
                           average_setting.of(settings),
                           fully_visible.of(settings),
                           work_dominates.of(settings),
                           read_send_modes(settings)};
    return
        [plan, &rows](Comm& comm) { return run(comm, plan, comm.rank() == 0 ? &rows : nullptr); };
}

}  // namespace

extern const MeasurementEntry overlap_entry;
constinit const MeasurementEntry overlap_entry = {
    .name = "overlap",
    .summary = "how much of a message's time computation can hide (Sandia host overhead)",
    .settings = settings_of_overlap,
    .prepare = make_overlap,
};

}  // namespace tradewind::measure
