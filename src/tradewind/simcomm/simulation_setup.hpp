/// SimulationSetup: the parts of a simulation, and the costs of its ranks.
#pragma once

#include <cstdint>

#include "tradewind/base/random.hpp"
#include "tradewind/comm/types.hpp"
#include "tradewind/sim/network/network.hpp"
#include "tradewind/simcomm/placement.hpp"

namespace tradewind::simcomm {

/// The times of local work; zero unless the machine has rates for it.
struct LocalCosts {
    double copy_ps_per_byte = 0.0;
    double sum_ps_per_byte = 0.0;
    /// The same for more bytes than `cache` at a time.
    double uncached_copy_ps_per_byte = 0.0;
    double uncached_sum_ps_per_byte = 0.0;
    Bytes cache = INT64_MAX;
    /// The time of each block that is copied by itself.
    Picoseconds block = 0;
    bool are_known = false;

    [[nodiscard]] Picoseconds time(const LocalWork& work) const noexcept {
        const double copy = work.copied > cache ? uncached_copy_ps_per_byte : copy_ps_per_byte;
        const double sum = work.summed > cache ? uncached_sum_ps_per_byte : sum_ps_per_byte;
        return work.blocks * block +
               Picoseconds(copy * double(work.copied) + sum * double(work.summed));
    }
};

/// The costs of messages for the ranks, the o, O and S of LogGOPS, and the speed of computation.
struct RankParameters {
    /// LogGOPS o: processor time of starting a send and of taking a received message.
    Picoseconds send_overhead = 0;
    Picoseconds receive_overhead = 0;
    /// LogGOPS O: processor time per byte sent.
    double overhead_per_byte_ps = 0.0;
    /// LogGOPS S: longer messages go by rendezvous.
    Bytes eager_limit = 0;
    /// The processor time of one test.
    Picoseconds test_overhead = 100'000;
    double flops_per_second = 1e10;
    /// The share of a rank in the bandwidth of its node's memory, which computations use.
    TransferRate memory_share;
    /// The standard deviation of the time of a computation, relative to that time.
    double compute_spread = 0.0;
    std::uint64_t compute_seed = 1;
    /// The same limit within a node.
    Bytes node_eager_limit = INT64_MAX;
    /// The processor time per byte of copying an eager message into and out of a buffer of the
    /// library.
    double send_copy_ps = 0.0;
    double receive_copy_ps = 0.0;
    /// The processor time beyond `receive_overhead` of receiving a message that is too long to be
    /// eager.
    Picoseconds rendezvous_overhead = 0;
    /// The processor time of other kinds of sends beyond `send_overhead`.
    Picoseconds synchronous_overhead = 0;
    Picoseconds ready_overhead = 0;
    Picoseconds put_overhead = 0;
    /// The processor time per byte of a put within a node that its origin copies; 0: it does not.
    double put_copy_ps = 0.0;
    /// True if ready sends that are too long to be eager go by rendezvous, too.
    bool has_ready_rendezvous = false;
    /// True if ranks answer announcements and send long messages only in calls.
    bool has_weak_progress = false;
    LocalCosts local = {};

    [[nodiscard]] Picoseconds flop_time(double flops) const noexcept {
        return Picoseconds(flops / flops_per_second * 1e12);
    }
    /// Returns the time of a computation: that of its operations or of its bytes of memory, varied
    /// at random by the rank and the number of its wait.
    [[nodiscard]] Picoseconds compute_time(double flops, Bytes memory, std::uint32_t rank,
                                           std::uint32_t wait) const noexcept {
        return varied(std::max(flop_time(flops), memory_share.time(memory)), rank, wait);
    }
    /// Returns the time of a computation that takes `time` on average.
    [[nodiscard]] Picoseconds varied(Picoseconds time, std::uint32_t rank,
                                     std::uint32_t wait) const noexcept {
        if (compute_spread == 0.0) return time;
        const std::uint64_t number = std::uint64_t{rank} << 32 | wait;
        return time + Picoseconds(double(time) * compute_spread *
                                  nearly_normal(mix(compute_seed, number)));
    }
};

class CriticalPath;

struct SimulationSetup {
    sim::Network* network = nullptr;
    const Placement* placement = nullptr;
    RankParameters ranks;
    sim::NetworkParameters parameters;
    sim::Schedule schedule;
    std::uint32_t nics_per_switch = 1;
    /// True if the messages of a rank take the interfaces of its node in turn.
    bool has_rails = false;
    /// The interfaces of a node over which the data of a rendezvous are striped.
    std::uint32_t stripes = 1;
    /// The largest number of phases of the time line in all, shared out evenly over the ranks; 0 =
    /// none.
    std::int64_t timeline_records = 0;
    /// Null where nobody asks for the critical path.
    CriticalPath* path = nullptr;
};

}  // namespace tradewind::simcomm
