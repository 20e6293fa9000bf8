/// Simulation: many simulated ranks, each running the program, on one simulated network.
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "tradewind/comm/program.hpp"
#include "tradewind/sim/network/network.hpp"
#include "tradewind/simcomm/crossing.hpp"
#include "tradewind/simcomm/ordering.hpp"
#include "tradewind/simcomm/phase.hpp"
#include "tradewind/simcomm/placement.hpp"
#include "tradewind/simcomm/rank_array.hpp"
#include "tradewind/simcomm/run_result.hpp"
#include "tradewind/simcomm/sim_rank.hpp"

namespace tradewind::simcomm {

/// Called about ten times a second with (finished ranks, Network::work_done, simulated time); false
/// stops the run.
using RunProgress = std::function<bool(std::int64_t, std::int64_t, Picoseconds)>;

/// What local work costs a rank; nothing unless the machine has rates for it.
struct LocalCosts {
    double copy_ps_per_byte = 0.0;
    double sum_ps_per_byte = 0.0;
    /// The same for more bytes than `cache` at a time.
    double uncached_copy_ps_per_byte = 0.0;
    double uncached_sum_ps_per_byte = 0.0;
    Bytes cache = INT64_MAX;
    /// Of each block that is copied by itself.
    Picoseconds block = 0;
    bool are_known = false;

    [[nodiscard]] Picoseconds time(const LocalWork& work) const noexcept {
        const double copy = work.copied > cache ? uncached_copy_ps_per_byte : copy_ps_per_byte;
        const double sum = work.summed > cache ? uncached_sum_ps_per_byte : sum_ps_per_byte;
        return work.blocks * block +
               Picoseconds(copy * double(work.copied) + sum * double(work.summed));
    }
};

/// What messages cost the ranks, the o, O and S of LogGOPS, and the speed of computation.
struct RankParameters {
    /// LogGOPS o: processor time of starting a send and of taking a received message.
    Picoseconds send_overhead = 0;
    Picoseconds receive_overhead = 0;
    /// LogGOPS O: processor time per byte sent.
    double overhead_per_byte_ps = 0.0;
    /// LogGOPS S: longer messages shake hands first (rendezvous).
    Bytes eager_limit = 0;
    /// Processor time of one test.
    Picoseconds test_overhead = 100'000;
    double flops_per_second = 1e10;
    /// The same limit within a node.
    Bytes node_eager_limit = INT64_MAX;
    /// Processor time per byte of copying an eager message into and out of a buffer of the library.
    double send_copy_ps = 0.0;
    double receive_copy_ps = 0.0;
    /// Processor time beyond `receive_overhead` of receiving what is too long to be eager.
    Picoseconds rendezvous_overhead = 0;
    /// What other kinds of sends cost beyond `send_overhead`.
    Picoseconds synchronous_overhead = 0;
    Picoseconds ready_overhead = 0;
    Picoseconds put_overhead = 0;
    LocalCosts local = {};
};

struct SimulationSetup {
    sim::Network* network = nullptr;
    const Placement* placement = nullptr;
    RankParameters ranks;
    sim::NetworkParameters parameters;
    sim::Schedule schedule;
    std::uint32_t nics_per_switch = 1;
    /// Phases that the time line keeps at most in all, shared out evenly over the ranks; 0 = none.
    std::int64_t timeline_records = 0;
};

class Simulation final : public sim::Client {
public:
    explicit Simulation(const SimulationSetup& setup);

    /// Runs `program` on every rank to its end. Throws what a rank threw, DeadlockError,
    /// Interrupted.
    ///
    /// Where processes share the simulation, all call it, and all throw what any of them threw. The
    /// first one's result is whole; the others know only what comes before the phases, and their
    /// own part of the rest. `progress` of the first one gets the sums.
    RunResult run(const Program& program, const RunProgress& progress = {});

    // The network's client.
    void seed(sim::Worker& worker) override;
    void injected(sim::Worker& worker, sim::MessageId id, Picoseconds time) override;
    void delivered(sim::Worker& worker, sim::MessageId id, Picoseconds time) override;
    void prefetch(sim::MessageId id, int stage) noexcept override;
    void client_event(sim::Worker& worker, const sim::Event& event) override;
    void departs(sim::Worker& worker, sim::MessageId id) override { crossing_->depart(worker, id); }
    void receive(sim::Worker& worker, std::span<const std::byte> cargo) override {
        crossing_->receive(worker, cargo);
    }

    // Services for ranks.
    [[nodiscard]] const RankParameters& rank_parameters() const noexcept { return setup_.ranks; }
    [[nodiscard]] const sim::NetworkParameters& network_parameters() const noexcept {
        return setup_.parameters;
    }
    [[nodiscard]] Picoseconds flop_time(double flops) const noexcept {
        return Picoseconds(flops / setup_.ranks.flops_per_second * 1e12);
    }
    [[nodiscard]] sim::Network& network() noexcept { return *setup_.network; }
    [[nodiscard]] sim::MessagePool& messages() noexcept { return *messages_; }
    /// A new message to the owner of an interface.
    [[nodiscard]] sim::MessageId take_message(const sim::Worker& worker, std::uint32_t to) {
        return messages_->take(crossing_ ? crossing_->list(worker, to) : worker.index());
    }
    /// The destination has done with a message.
    void give_message(sim::Worker& worker, sim::MessageId id) {
        if (crossing_ && crossing_->is_foreign(id)) return crossing_->give_back(worker, id);
        messages_->give(worker.index(), id);
    }
    [[nodiscard]] RequestPool& requests() noexcept { return requests_; }
    [[nodiscard]] std::uint32_t nic_of(Rank rank) const { return setup_.placement->nic(rank); }
    [[nodiscard]] sim::Location location_of(std::uint32_t nic) const noexcept {
        return nic / setup_.nics_per_switch;
    }
    [[nodiscard]] bool same_node(const sim::Message& message) const noexcept;
    /// Puts the message on its way: through the network, or through the node's memory.
    void launch(sim::Worker& worker, sim::MessageId id, Phase phase, Picoseconds time);
    /// The receive of an announced message is ready: asks for the data.
    void clear_to_send(sim::Worker& worker, sim::MessageId id, std::uint32_t request,
                       Picoseconds time);
    [[nodiscard]] std::int32_t phase_index(const sim::Worker& worker, const char* name);
    void add_phase(const sim::Worker& worker, Rank rank, std::int32_t phase, Picoseconds begin,
                   Picoseconds end);
    void count_message(const sim::Worker& worker, Bytes bytes);
    void finished(const sim::Worker& worker);

private:
    struct alignas(64) PerWorker {
        Strand strand;
        PhaseLog log;
        std::int64_t messages = 0;
        Bytes bytes = 0;
        std::atomic<std::int64_t> finished{0};
    };

    /// A message that takes part in matching has come in.
    void arrived(sim::Worker& worker, sim::MessageId id, Picoseconds time);
    void send_receipt(sim::Worker& worker, const sim::Message& message, Picoseconds time) const;
    void prepare(sim::Message& message, Bytes bytes) const;
    void intra_node(sim::Worker& worker, sim::MessageId id, Picoseconds time);
    void copied_in_node(sim::Worker& worker, sim::MessageId id);
    [[nodiscard]] sim::Progress reporter(const RunProgress& progress);
    void check_finished() const;
    [[nodiscard]] std::int64_t finished_ranks() const;
    [[nodiscard]] RunResult result() const;
    [[nodiscard]] RunTotals totals() const;

    SimulationSetup setup_;
    sim::MessagePool* messages_;
    RequestPool requests_;
    /// Only where routes do not keep the order of messages.
    std::unique_ptr<Ordering> ordering_;
    /// Only where processes share the simulation.
    std::unique_ptr<Crossing> crossing_;
    std::vector<std::unique_ptr<PerWorker>> per_worker_;
    std::size_t size_;
    /// How many phases of each rank the time line holds.
    std::vector<std::int64_t> marked_;
    RankArray ranks_;
    /// Of this process, while the network runs.
    sim::Worker* first_worker_ = nullptr;
    const Program* program_ = nullptr;
};

}  // namespace tradewind::simcomm
