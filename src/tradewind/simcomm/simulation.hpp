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

/// The function that is called about ten times a second with (finished ranks, Network::work_done,
/// simulated time). It returns false to stop the run.
using RunProgress = std::function<bool(std::int64_t, std::int64_t, Picoseconds)>;

/// The ranks, each of which hears of its events in the network.
class Simulation final : public sim::Client {
public:
    explicit Simulation(const SimulationSetup& setup);

    /// Runs `program` on every rank to its end. Throws the exception of a rank, DeadlockError or
    /// Interrupted.
    ///
    /// All processes that share a simulation call it, and all throw the exception of any of them.
    /// The first one's result is whole. The others know only the totals, and their own part of the
    /// rest. `progress` of the first one gets the sums.
    RunResult run(const Program& program, const RunProgress& progress = {});

    // The network's client.
    void seed(sim::Worker& worker) override;
    void injected(sim::Worker& worker, sim::MessageId id, Picoseconds time) override;
    void delivered(sim::Worker& worker, sim::MessageId id, Picoseconds time) override;
    void prefetch(sim::MessageId id, int stage) noexcept override;
    void client_event(sim::Worker& worker, const sim::Event& event) override;
    void departs(sim::Worker& worker, sim::MessageId id) override {
        services_.messaging.remote()->depart(worker, id);
    }
    void receive(sim::Worker& worker, std::span<const std::byte> payload) override {
        services_.messaging.remote()->receive(worker, payload);
    }

private:
    struct alignas(64) Frames {
        CoroutineContext coroutines;
    };

    void arrived(sim::Worker& worker, sim::MessageId id, Picoseconds time);
    void take_data(sim::Worker& worker, sim::MessageId id, Picoseconds time);
    [[nodiscard]] std::vector<PathStep> critical_path(const PhaseLog& log) const;
    [[nodiscard]] sim::Progress reporter(const RunProgress& progress);
    /// Returns the worker of this process that has a rank, if it is one of its own.
    [[nodiscard]] int worker_of(Rank rank) const;
    void check_finished() const;
    [[nodiscard]] RunResult result() const;
    [[nodiscard]] RunTotals totals() const;

    SimulationSetup setup_;
    RankServices services_;
    /// The coroutine frames of the ranks of each worker.
    sim::PerWorker<Frames> frames_;
    RankArray ranks_;
    /// The first worker of this process, while the network runs.
    sim::Worker* first_worker_ = nullptr;
    const Program* program_ = nullptr;
};

}  // namespace tradewind::simcomm
