/// Paces: the rates at which the bytes of a packet can follow its head, numbered in the packet.
#pragma once

#include <cstdint>
#include <vector>

#include "tradewind/sim/network/packet.hpp"
#include "tradewind/sim/network/parameters.hpp"

namespace tradewind::sim {

/// The table of paces. Pace 0 is that of injection, pace i + 1 that of link class i. Then come
/// those of trains, and some between all of them.
class Paces {
public:
    explicit Paces(const NetworkParameters& parameters);

    /// Returns the time from a packet's head to its last byte, unless the packet has been waiting.
    [[nodiscard, gnu::always_inline]] Picoseconds input_time(const Packet& packet) const noexcept {
        return rates_[packet.pace()].time(packet.bytes());
    }
    /// Returns the rate of trains on a link that the buffer behind it can sustain: their packets
    /// ask for credit one by one.
    [[nodiscard]] TransferRate of_train(std::size_t link_class) const noexcept {
        return train_rates_[link_class];
    }
    /// Returns the number of the pace at which bytes that leave over a link take nearly `duration`.
    [[nodiscard, gnu::always_inline]] int number(std::size_t link_class, Bytes bytes,
                                                 Picoseconds duration) const noexcept {
        return are_equal_ ? 0 : nearest(link_class, bytes, duration);
    }

private:
    [[nodiscard]] int nearest(std::size_t link_class, Bytes bytes,
                              Picoseconds duration) const noexcept;

    std::vector<TransferRate> rates_;
    std::vector<TransferRate> train_rates_;
    Bytes packet_size_;
    bool are_equal_ = false;
};

}  // namespace tradewind::sim
