/// Options: the parameters that tune an algorithm; each algorithm documents those that it reads.
#pragma once

#include <cstdint>

#include "tradewind/comm/protocol/transport.hpp"

namespace tradewind {

struct Options {
    /// The number of partners per stage (ring_k; at least 1) or the base of the recursion (bruck_k,
    /// recursive_k, tree; at least 2).
    std::int64_t radix = 2;
    /// The largest number of sends, and of receives, in flight (spread_out).
    std::int64_t window = 32;
    /// The calls by which the messages of each stage are exchanged.
    Protocol protocol = {};
    /// The transport of the messages.
    Transport transport = Transport::two_sided;
    /// The channel of the communicator that the algorithm runs on; needed for puts.
    PutChannel* channel = nullptr;

    /// Returns the delivery of messages. Throws ConfigError, on all ranks, if the transport cannot
    /// carry the protocol or has no channel.
    [[nodiscard]] Delivery delivery(std::string_view algorithm) const {
        return transport == Transport::two_sided ? Delivery(protocol) : delivery_by_puts(algorithm);
    }

private:
    [[nodiscard]] Delivery delivery_by_puts(std::string_view algorithm) const;
};
/// Returns the same options with a channel, which may be null if the transport needs none.
[[nodiscard]] inline Options with_channel(Options options, PutChannel* channel) noexcept {
    options.channel = channel;
    return options;
}

}  // namespace tradewind
