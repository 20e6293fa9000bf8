/// Trains: the trains that output ports are sending, between whose packets others pass.
#pragma once

#include <algorithm>
#include <cstdint>

#include "tradewind/base/fetch_ahead.hpp"
#include "tradewind/base/large_memory.hpp"
#include "tradewind/sim/network/packet.hpp"
#include "tradewind/sim/network/parameters.hpp"
#include "tradewind/sim/network/switching/port.hpp"
#include "tradewind/sim/network/switching/wait_queues.hpp"

namespace tradewind::sim {

/// The number of times that packets pass between those of trains that want the same port, in the
/// time of so many packets of the trains: for each input port, or for all together.
struct PassRate {
    int passes = INT32_MAX;
    double packets = 0;
    bool by_input = false;
};

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
            return std::max(one, (buffer - credit_loop) * inputs);
        }
    };

    /// The memory that the trains of each port take.
    static constexpr std::size_t bytes_per_port = 88;

    Trains(const NetworkParameters& parameters, std::size_t ports)
        : switch_latency_(parameters.switch_latency),
          arbitration_(parameters.arbitration),
          packet_size_(parameters.packet_size),
          short_train_(parameters.short_train),
          trains_(parameters.trains_per_message > 0 ? ports : 0) {}

    /// Reports whether any trains are kept: packets longer than usual are none where nobody made
    /// trains.
    [[nodiscard]] bool are_kept() const noexcept { return trains_.size() > 0; }
    /// Asks for the memory of the train of a port.
    void prefetch(std::size_t index) const noexcept {
        if (!are_kept()) return;
        fetch_ahead(&trains_[index]);
        fetch_ahead(&trains_[index].class_passes);
    }
    /// Keeps a train that leaves from `head` on until `port.next_free`.
    void begin(Port& port, std::size_t index, const Arrival& arrival, Picoseconds head) noexcept {
        if (!are_kept()) return;
        if (port.short_trains > 0) --port.short_trains;
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
                 .round_end = train.round_end,
                 .class_round_end = train.class_round_end,
                 .inputs = inputs,
                 .round_inputs = train.round_inputs,
                 .input = std::uint16_t(packet.input_port()),
                 .singles = 0,
                 .class_passes = train.class_passes};
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
    /// trains from other input ports are `waiting`, if packets like it pass at this rate; not
    /// before `port.next_free` if it comes after the train.
    [[nodiscard]] Picoseconds turn(const Port& port, std::size_t index, const Packet& packet,
                                   Picoseconds ready, InputSet waiting, const Pace& pace,
                                   const PassRate& rate) const noexcept {
        const Train& train = trains_[index];
        const Picoseconds one = pace.one;
        const Picoseconds sent = std::max<Picoseconds>(0, ready - train.head);
        const auto after = [&](Picoseconds time) {
            return train.head + (time + one - 1) / one * one;
        };
        const Picoseconds came = arrived(port, train, packet.head());
        const bool follows = packet.input_port() == train.input;
        Picoseconds turn = 0;
        Picoseconds again = 0;
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
        if (has_passed(train, packet, rate))
            again = rate.by_input ? train.round_end : train.class_round_end;
        return std::max({ready, turn, train.earliest, train.passed, again});
    }
    /// Reports whether a packet from an input port that would leave at some time has had its turn
    /// in the round that lasts until later.
    [[nodiscard]] bool had_turn(std::size_t index, std::uint32_t from,
                                Picoseconds time) const noexcept {
        if (!are_kept()) return false;
        const Train& train = trains_[index];
        return time < train.round_end && train.round_inputs.contains(from);
    }
    /// Lets a packet pass that takes the port for `time` from `head` on. Packets of trains take
    /// `one`, and packets like it pass at this rate.
    void pass(Port& port, std::size_t index, const Packet& packet, Picoseconds head,
              Picoseconds time, Picoseconds one, const PassRate& rate) noexcept {
        Train& train = trains_[index];
        train.head += time;
        port.next_free += time;
        count(train, packet, head, time, one, rate);
    }
    /// Counts a packet that leaves after the train, before another one may begin.
    void follow(std::size_t index, const Packet& packet, Picoseconds head, Picoseconds time,
                Picoseconds one, const PassRate& rate) noexcept {
        count(trains_[index], packet, head, time, one, rate);
    }
    /// Notes a single packet that has passed or followed the train. The port asks for short trains
    /// once these packets have as many bytes as half of a short train: the place of a long one in
    /// the queue would be that of its first packet, before those that its others must wait for.
    /// Packets from the inputs of trains do not count, as they are ends of long messages.
    void note_single(Port& port, std::size_t index, const Packet& packet) noexcept {
        Train& train = trains_[index];
        if (short_train_ == 0 || train.inputs.contains(packet.input_port())) return;
        auto& singles = train.singles;
        const Bytes sum = singles + packet.bytes() * sixteenths / packet_size_;
        singles = std::uint16_t(std::min<Bytes>(sum, UINT16_MAX));
        if (2 * singles * packet_size_ >= sixteenths * short_train_)
            port.short_trains = most_short_trains;
    }

private:
    static constexpr Bytes sixteenths = 16;

    struct Train {
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
        /// The time before which no input port has a second turn, and the ports that have had one.
        Picoseconds round_end = 0;
        /// The same for packets of the other class than the train, of which only the number counts.
        Picoseconds class_round_end = 0;
        /// The input ports of the trains since the port was last idle.
        InputSet inputs;
        InputSet round_inputs;
        std::uint16_t input = 0;
        /// The bytes of single packets that have passed or followed it, in 16ths of a packet.
        std::uint16_t singles = 0;
        std::int32_t class_passes = 0;
    };
    static_assert(sizeof(Train) == bytes_per_port);

    /// Reports whether packets like this one have had all their turns in this round.
    [[nodiscard]] static bool has_passed(const Train& train, const Packet& packet,
                                         const PassRate& rate) noexcept {
        return rate.by_input ? train.round_inputs.contains(packet.input_port())
                             : train.class_passes >= rate.passes;
    }
    /// Counts a packet that passes, which may begin another round.
    static void count(Train& train, const Packet& packet, Picoseconds head, Picoseconds time,
                      Picoseconds one, const PassRate& rate) noexcept {
        Picoseconds& end = rate.by_input ? train.round_end : train.class_round_end;
        if (head >= end || has_passed(train, packet, rate)) {
            end = head + Picoseconds(double(one) * rate.packets);
            if (rate.by_input) {
                train.round_inputs = InputSet();
            } else {
                train.class_passes = 0;
            }
        }
        if (rate.by_input) {
            train.round_inputs.add(packet.input_port());
        } else {
            ++train.class_passes;
        }
        train.round_end += time;
        train.class_round_end += time;
        train.passed = head + time;
    }

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
    Bytes packet_size_;
    Bytes short_train_;
    ZeroedArray<Train> trains_;
};

}  // namespace tradewind::sim
