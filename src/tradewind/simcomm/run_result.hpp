/// RunResult: the result of a run of a program on simulated ranks.
#pragma once

#include <span>
#include <vector>

#include "tradewind/sim/network/network.hpp"
#include "tradewind/simcomm/critical_path/path_step.hpp"
#include "tradewind/simcomm/records.hpp"

namespace tradewind::simcomm {

/// The part of a result that every process learns.
struct RunTotals {
    Picoseconds time = 0;
    /// The longest time in which a rank did not wait.
    Picoseconds busiest_rank = 0;
    /// The messages and bytes that ranks sent, within nodes too.
    std::int64_t messages = 0;
    Bytes bytes = 0;
    /// The hash of every rank's completion time.
    std::uint64_t hash = 0;

    void merge(const RunTotals& part) noexcept {
        time = std::max(time, part.time);
        busiest_rank = std::max(busiest_rank, part.busiest_rank);
        messages += part.messages;
        bytes += part.bytes;
        hash += part.hash;
    }
};

/// The phases, and their time line.
struct PhaseLog {
    std::vector<PhaseRecord> phases;
    /// The time line, in order of time, then of ranks; empty if none was asked for.
    std::vector<PhaseMark> marks;
};

/// Joins phases of the same name, in the order in which they began.
[[nodiscard]] PhaseLog join(std::span<const PhaseLog> parts);

struct RunResult : RunTotals, PhaseLog {
    sim::NetworkReport network;
    /// The critical path from the start to the end; empty if none was asked for.
    std::vector<PathStep> critical_path;
    /// The bytes of ranks, coroutine frames, requests and network.
    std::size_t memory_bytes = 0;
    std::size_t frame_bytes = 0;
};

/// Returns the totals of all processes, on all of them.
[[nodiscard]] RunTotals sum(sim::ProcessGroup& group, const RunTotals& mine);
/// Makes one result of the parts of all processes, on the first one; `mine` is whole but for that.
void join_processes(sim::ProcessGroup& group, RunResult& mine);

}  // namespace tradewind::simcomm
