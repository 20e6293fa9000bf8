/// Trains: the trains that output ports are sending, between whose packets shorter ones pass.
#pragma once

#include <algorithm>
#include <cstdint>

#include "tradewind/base/large_memory.hpp"
#include "tradewind/sim/network/packet.hpp"
#include "tradewind/sim/network/parameters.hpp"
#include "tradewind/sim/network/switching/port.hpp"
#include "tradewind/sim/network/switching/wait_queues.hpp"

namespace tradewind::sim {

/// The last train of each port. A train takes a port as a whole, while in truth other packets would
/// take turns with its packets. Packets and trains of at most half its length may therefore pass it
/// on the way. What passes delays the rest of the train by its own time.
class Trains {
public:
    Trains(const NetworkParameters& parameters, std::size_t ports)
        : packet_size_(parameters.packet_size),
          switch_latency_(parameters.switch_latency),
          arbitration_(parameters.arbitration),
          trains_(parameters.trains_per_message > 0 ? ports : 0) {}

    /// Keeps a train that leaves from `head` on until `port.next_free`. It came through a `buffer`
    /// of that many bytes in the time of the port, whose credits are under way for `credit_loop`.
    /// Its own first packet returns its credit at `credit` if nothing holds it up.
    void begin(Port& port, std::size_t index, const Arrival& arrival, Picoseconds head,
               Picoseconds buffer, Picoseconds credit_loop, Picoseconds credit) noexcept {
        port.carries_train = true;
        Train& train = trains_[index];
        const bool waits = head > arrival.packet.head() + switch_latency_;
        const std::uint32_t input = arrival.packet.input_port();
        InputSet inputs = waits ? train.inputs : InputSet();
        inputs.add(input);
        train = {.first = arrival.packet.head(),
                 .last = arrival.tail,
                 .head = head,
                 .passed = train.passed,
                 .buffer = buffer,
                 .credit_loop = credit_loop,
                 .credit = credit,
                 .inputs = inputs,
                 .bytes = arrival.packet.bytes(),
                 .input = std::uint16_t(input),
                 .passed_input = std::uint16_t(input)};
    }
    /// Returns the input port of the train.
    [[nodiscard]] std::uint32_t input(std::size_t index) const noexcept {
        return trains_[index].input;
    }
    /// Returns true if the first packet of the train cannot have returned its credit by `time`. The
    /// train has taken credit for all its packets, where few of them can be under way.
    [[nodiscard]] bool keeps_credit(std::size_t index, Picoseconds time) const noexcept {
        return time < trains_[index].credit;
    }
    /// Returns true if a packet is short enough to pass.
    [[nodiscard]] bool is_shorter(const Packet& packet, std::size_t index) const noexcept {
        return 2 * Bytes(packet.bytes()) <= Bytes(trains_[index].bytes);
    }
    /// Returns when a packet that is `ready` to leave has its turn among those of the train while
    /// trains from other input ports are `waiting`; not before `port.next_free` if it comes after
    /// the train.
    [[nodiscard]] Picoseconds turn(const Port& port, std::size_t index, const Packet& packet,
                                   Picoseconds ready, InputSet waiting,
                                   const TransferRate& rate) const noexcept {
        if (!is_shorter(packet, index)) return port.next_free;
        const Train& train = trains_[index];
        const Picoseconds one = rate.time(packet_size_);
        const Picoseconds sent = std::max<Picoseconds>(0, ready - train.head);
        const auto after = [&](Picoseconds time) {
            return train.head + (time + one - 1) / one * one;
        };
        const auto held = [&](int inputs) {
            return std::max(one, train.buffer * inputs - train.credit_loop);
        };
        const Picoseconds came = std::min(arrived(port, train, packet.head()), sent + held(1));
        Picoseconds turn = 0;
        if (arbitration_ == Arbitration::first_come) {
            const int before = train.inputs.size();
            waiting.add(train.inputs);
            turn = std::min(after(came) + train.buffer * (waiting.size() - before),
                            ready + held(waiting.size()));
        } else if (arbitration_ == Arbitration::oldest_first) {
            turn = std::min(after(came), ready + held(train.inputs.size()));
        } else {
            const bool follows = packet.input_port() == train.input;
            waiting.add(train.input);
            turn = after(follows ? came : sent) + one * (waiting.size() - 1);
        }
        const bool again = packet.input_port() == train.passed_input;
        return std::max({ready, turn, train.passed + (again ? one : 0)});
    }
    /// Lets a packet pass that takes the port for `time` from `head` on.
    void pass(Port& port, std::size_t index, const Packet& packet, Picoseconds head,
              Picoseconds time) noexcept {
        Train& train = trains_[index];
        train.passed = head + time;
        train.passed_input = packet.input_port();
        train.head += time;
        port.next_free += time;
    }

private:
    struct Train {
        /// The times at which its first and its last byte come in.
        Picoseconds first = 0;
        Picoseconds last = 0;
        /// The time at which its first byte leaves, later by what has passed.
        Picoseconds head = 0;
        /// The end of the last packet that has passed.
        Picoseconds passed = 0;
        /// The time of as many bytes as the buffer before the port holds, and that in which its
        /// credits come back.
        Picoseconds buffer = 0;
        Picoseconds credit_loop = 0;
        /// The time at which the first packet returns its credit behind the port.
        Picoseconds credit = 0;
        /// The input ports of the trains since the port was last idle.
        InputSet inputs;
        std::uint32_t bytes = 0;
        std::uint16_t input = 0;
        std::uint16_t passed_input = 0;
    };

    /// Returns the time that the port takes for what has come in of a train by `time`.
    [[nodiscard]] static Picoseconds arrived(const Port& port, const Train& train,
                                             Picoseconds time) noexcept {
        const Picoseconds whole = port.next_free - train.head;
        if (time >= train.last) return whole;
        if (time <= train.first) return 0;
        return Picoseconds(double(whole) * double(time - train.first) /
                           double(train.last - train.first));
    }

    Bytes packet_size_;
    Picoseconds switch_latency_;
    Arbitration arbitration_;
    ZeroedArray<Train> trains_;
};

}  // namespace tradewind::sim
