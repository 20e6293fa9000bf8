/// RunLog: the phases of the ranks of this process, and the number of ranks that have finished.
#pragma once

#include <algorithm>
#include <atomic>
#include <vector>

#include "tradewind/sim/kernel/per_worker.hpp"
#include "tradewind/simcomm/run_result.hpp"

namespace tradewind::simcomm {

class RunLog {
public:
    /// Makes the log. The time line keeps up to `marks` phases in all, shared out evenly over
    /// `ranks`.
    RunLog(int workers, std::size_t ranks, std::int64_t marks)
        : most_marks_(std::max<std::int64_t>(marks / std::int64_t(ranks), 1)),
          marked_(std::size_t(std::min<std::int64_t>(std::int64_t(ranks), marks))),
          logs_(workers) {}

    /// Returns the number of a phase among those of the worker.
    [[nodiscard]] std::int32_t phase_index(const sim::Worker& worker, const char* name) {
        auto& phases = logs_[worker].log.phases;
        const auto found = std::ranges::find(phases, name, &PhaseRecord::name);
        if (found != phases.end()) return std::int32_t(found - phases.begin());
        phases.push_back({{}, name});
        return std::int32_t(phases.size()) - 1;
    }
    /// Returns the name of a phase of a worker, the first one by default.
    [[nodiscard]] const std::string& phase_name(std::int32_t index, int worker = 0) const {
        return logs_.at(worker).log.phases[std::size_t(index)].name;
    }
    void add_phase(const sim::Worker& worker, const PhaseMark& mark) {
        PhaseLog& log = logs_[worker].log;
        log.phases[std::size_t(mark.phase)].add(mark.begin, mark.end);
        if (mark.rank < marked_.size() && marked_[mark.rank]++ < most_marks_)
            log.marks.push_back(mark);
    }
    void finish_rank(const sim::Worker& worker) {
        logs_[worker].finished.fetch_add(1, std::memory_order_relaxed);
    }

    /// Returns the number of ranks that have finished. It may be called while they run.
    [[nodiscard]] std::int64_t finished_ranks() const {
        std::int64_t sum = 0;
        for (const auto& own : logs_.all()) sum += own->finished.load(std::memory_order_relaxed);
        return sum;
    }
    /// Returns the phases of all workers.
    [[nodiscard]] PhaseLog phases() const {
        std::vector<PhaseLog> logs;
        for (const auto& own : logs_.all()) logs.push_back(own->log);
        return join(logs);
    }

private:
    struct alignas(64) WorkerLog {
        PhaseLog log;
        std::atomic<std::int64_t> finished{0};
    };

    std::int64_t most_marks_;
    /// The number of phases of each rank that the time line holds.
    std::vector<std::int64_t> marked_;
    sim::PerWorker<WorkerLog> logs_;
};

}  // namespace tradewind::simcomm
