/// Reassembly: packets that leave their last switch become messages again.
#pragma once

#include <algorithm>

#include "tradewind/sim/kernel/per_worker.hpp"
#include "tradewind/sim/network/contention_free.hpp"
#include "tradewind/sim/network/fabric.hpp"
#include "tradewind/sim/network/journey_log.hpp"
#include "tradewind/sim/network/packet.hpp"
#include "tradewind/sim/observe/observer.hpp"

namespace tradewind::sim {

class Reassembly {
public:
    /// Takes the `shortest` routes for contention-free times.
    Reassembly(Fabric& fabric, const Routing& shortest)
        : fabric_(fabric),
          contention_free_(fabric.topology, shortest, fabric.parameters, fabric.routes_are_fixed),
          shares_memory_(fabric.memory.is_shared()),
          routes_are_fixed_(fabric.routes_are_fixed),
          observers_(fabric.schedule.workers(), fabric.observe) {}

    /// Hands over a packet whose last byte comes to its interface at `time`.
    [[gnu::always_inline]] void deliver(Worker& worker, const Packet& packet, Picoseconds time) {
        const Picoseconds ejected = time;
        if (shares_memory_) {
            const std::uint32_t nic = packet.destination_nic();
            time = std::max(time, fabric_.memory.use(nic, worker.now(), packet.bytes()));
        }
        if (fabric_.journeys != nullptr) [[unlikely]]
            note_arrival(packet, ejected, time);
        if (!routes_are_fixed_ || packet.is_last()) deliver_message(worker, packet, time);
    }

    void merge_into(NetworkReport& report) const {
        for (const auto& own : observers_.all()) own->observer.merge_into(report);
    }

private:
    struct alignas(64) WorkerObserver {
        explicit WorkerObserver(const ObserveParameters& parameters) : observer(parameters) {}
        Observer observer;
    };

    void deliver_message(Worker& worker, const Packet& packet, Picoseconds time);
    void note_arrival(const Packet& packet, Picoseconds ejected, Picoseconds time);

    Fabric& fabric_;
    ContentionFree contention_free_;
    bool shares_memory_;
    bool routes_are_fixed_;
    PerWorker<WorkerObserver> observers_;
};

}  // namespace tradewind::sim
