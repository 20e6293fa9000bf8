/// Trains: the trains that output ports are sending, between whose packets others pass.
#pragma once

#include <algorithm>
#include <cstdint>

#include "tradewind/base/large_memory.hpp"
#include "tradewind/sim/network/packet.hpp"
#include "tradewind/sim/network/parameters.hpp"
#include "tradewind/sim/network/switching/port.hpp"
#include "tradewind/sim/network/switching/wait_queues.hpp"

namespace tradewind::sim {

/// The last train of each port. A train takes a port as a whole, while its packets would take turns
/// with others. A single packet may therefore pass it on the way, and delays the rest of it by its
/// own time.
class Trains {
public:
    /// The times that a port takes for one packet, and for as many bytes as the buffer before it
    /// holds; and the time in which the credits of that buffer come back.
    struct Pace {
        Picoseconds one;
        Picoseconds buffer;
        Picoseconds credit_loop;

        /// Returns the time for what waits in the full buffers of so many input ports.
        [[nodiscard]] Picoseconds held(int inputs) const noexcept {
            return std::max(one, buffer * inputs - credit_loop);
        }
    };

    Trains(const NetworkParameters& parameters, std::size_t ports)
        : switch_latency_(parameters.switch_latency),
          arbitration_(parameters.arbitration),
          trains_(parameters.trains_per_message > 0 ? ports : 0) {}

    /// Keeps a train that leaves from `head` on until `port.next_free`.
    void begin(Port& port, std::size_t index, const Arrival& arrival, Picoseconds head) noexcept {
        if (trains_.size() == 0) return;
        Train& train = trains_[index];
        const Packet& packet = arrival.packet;
        const bool waits = head > packet.head() + switch_latency_;
        const Picoseconds earliest = waits && port.carries_train ? train.earliest : head;
        port.carries_train = true;
        InputSet inputs = waits ? train.inputs : InputSet();
        inputs.add(packet.input_port());
        train = {.first = packet.head(),
                 .last = arrival.tail,
                 .start = head,
                 .head = head,
                 .passed = train.passed,
                 .earliest = earliest,
                 .inputs = inputs,
                 .input = std::uint16_t(packet.input_port()),
                 .passed_input = std::uint16_t(packet.input_port())};
    }
    /// Returns the input port of the train.
    [[nodiscard]] std::uint32_t input(std::size_t index) const noexcept {
        return trains_[index].input;
    }
    /// Returns the time at which the train began to leave.
    [[nodiscard]] Picoseconds start(std::size_t index) const noexcept {
        return trains_[index].start;
    }
    /// Returns when a packet that is `ready` to leave has its turn among those of the train while
    /// trains from other input ports are `waiting`; not before `port.next_free` if it comes after
    /// the train.
    [[nodiscard]] Picoseconds turn(const Port& port, std::size_t index, const Packet& packet,
                                   Picoseconds ready, InputSet waiting,
                                   const Pace& pace) const noexcept {
        const Train& train = trains_[index];
        const Picoseconds one = pace.one;
        const Picoseconds sent = std::max<Picoseconds>(0, ready - train.head);
        const auto after = [&](Picoseconds time) {
            return train.head + (time + one - 1) / one * one;
        };
        const Picoseconds came = arrived(port, train, packet.head());
        const bool follows = packet.input_port() == train.input;
        Picoseconds turn = 0;
        if (arbitration_ == Arbitration::first_come || arbitration_ == Arbitration::oldest_first) {
            // Buffers hold no more of the trains than that.
            turn = after(follows ? came : std::min(came, sent + pace.held(1)));
            if (arbitration_ == Arbitration::oldest_first) waiting = InputSet();
            waiting.add(train.inputs);
            turn += pace.buffer * (waiting.size() - train.inputs.size());
            if (!train.inputs.contains(packet.input_port()))
                turn = std::min(turn, ready + pace.held(waiting.size()));
        } else {
            waiting.add(train.input);
            turn = after(follows ? came : sent) + one * (waiting.size() - 1);
        }
        const bool again = packet.input_port() == train.passed_input;
        return std::max({ready, turn, train.earliest, train.passed + (again ? one : 0)});
    }
    /// Lets a packet pass that takes the port for `time` from `head` on.
    void pass(Port& port, std::size_t index, const Packet& packet, Picoseconds head,
              Picoseconds time) noexcept {
        Train& train = trains_[index];
        train.passed = head + time;
        train.passed_input = std::uint16_t(packet.input_port());
        train.head += time;
        port.next_free += time;
    }

private:
    struct alignas(64) Train {
        /// The times at which its first and its last byte come in.
        Picoseconds first = 0;
        Picoseconds last = 0;
        /// The time at which its first byte leaves; and the same, later by what has passed since.
        Picoseconds start = 0;
        Picoseconds head = 0;
        /// The end of the last packet that has passed a train of this port.
        Picoseconds passed = 0;
        /// The start of the first of the trains that follow each other: what is before it was there
        /// first.
        Picoseconds earliest = 0;
        /// The input ports of the trains since the port was last idle.
        InputSet inputs;
        std::uint16_t input = 0;
        std::uint16_t passed_input = 0;
    };
    static_assert(sizeof(Train) == 64);

    /// Returns the time that the port takes for what has come in of a train by `time`.
    [[nodiscard]] static Picoseconds arrived(const Port& port, const Train& train,
                                             Picoseconds time) noexcept {
        const Picoseconds whole = port.next_free - train.head;
        if (time >= train.last) return whole;
        if (time <= train.first) return 0;
        return Picoseconds(double(whole) * double(time - train.first) /
                           double(train.last - train.first));
    }

    Picoseconds switch_latency_;
    Arbitration arbitration_;
    ZeroedArray<Train> trains_;
};

}  // namespace tradewind::sim
