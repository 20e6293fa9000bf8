/// Simulation: many simulated ranks, each running the program, on one simulated network.
#pragma once

#include <functional>

#include "tradewind/comm/program.hpp"
#include "tradewind/sim/kernel/per_worker.hpp"
#include "tradewind/sim/network/network.hpp"
#include "tradewind/simcomm/rank/rank_array.hpp"
#include "tradewind/simcomm/rank/rank_context.hpp"
#include "tradewind/simcomm/run_result.hpp"
#include "tradewind/simcomm/simulation_setup.hpp"

namespace tradewind::simcomm {

/// Called about ten times a second with (finished ranks, Network::work_done, simulated time); false
/// stops the run.
using RunProgress = std::function<bool(std::int64_t, std::int64_t, Picoseconds)>;

/// Keeps the ranks, and takes to each of them what the network says.
class Simulation final : public sim::Client {
public:
    explicit Simulation(const SimulationSetup& setup);

    /// Runs `program` on every rank to its end. Throws what a rank threw, DeadlockError,
    /// Interrupted.
    ///
    /// All processes that share a simulation call it, and all throw what any of them threw. The
    /// first one's result is whole; the others know only what comes before the phases, and their
    /// own part of the rest. `progress` of the first one gets the sums.
    RunResult run(const Program& program, const RunProgress& progress = {});

    // The network's client.
    void seed(sim::Worker& worker) override;
    void injected(sim::Worker& worker, sim::MessageId id, Picoseconds time) override;
    void delivered(sim::Worker& worker, sim::MessageId id, Picoseconds time) override;
    void prefetch(sim::MessageId id, int stage) noexcept override;
    void client_event(sim::Worker& worker, const sim::Event& event) override;
    void departs(sim::Worker& worker, sim::MessageId id) override {
        services_.messaging.crossing()->depart(worker, id);
    }
    void receive(sim::Worker& worker, std::span<const std::byte> cargo) override {
        services_.messaging.crossing()->receive(worker, cargo);
    }

private:
    struct alignas(64) Frames {
        Strand strand;
    };

    void arrived(sim::Worker& worker, sim::MessageId id, Picoseconds time);
    [[nodiscard]] sim::Progress reporter(const RunProgress& progress);
    void check_finished() const;
    [[nodiscard]] RunResult result() const;
    [[nodiscard]] RunTotals totals() const;

    SimulationSetup setup_;
    RankServices services_;
    /// Coroutine frames of the ranks of each worker.
    sim::PerWorker<Frames> frames_;
    RankArray ranks_;
    /// The first worker of this process, while the network runs.
    sim::Worker* first_worker_ = nullptr;
    const Program* program_ = nullptr;
};

}  // namespace tradewind::simcomm
