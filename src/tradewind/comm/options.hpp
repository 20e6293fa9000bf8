/// Options: the few numbers that tune an algorithm; each algorithm says which of them it reads.
#pragma once

#include <cstdint>

#include "tradewind/comm/protocol/transport.hpp"

namespace tradewind {

struct Options {
    /// Partners per stage (ring_k), or base of the recursion (bruck_k, recursive_k, tree); at least
    /// 1 or 2.
    std::int64_t radix = 2;
    /// Messages in flight at most (spread_out).
    std::int64_t window = 32;
    /// By which calls the messages of each stage are exchanged.
    Protocol protocol = {};
    /// What carries them.
    Transport transport = Transport::two_sided;
    /// Of the communicator that the algorithm runs on; puts need it.
    PutChannel* channel = nullptr;

    /// Two-sided messages by the default protocol.
    [[nodiscard]] bool is_plain() const noexcept {
        return transport == Transport::two_sided && Delivery(protocol).is_plain();
    }
    /// Throws ConfigError, on all ranks, where the transport cannot carry the protocol or has no
    /// channel.
    [[nodiscard]] Delivery delivery(std::string_view algorithm) const;
};
/// The same options with a channel, which may be null where the transport needs none.
[[nodiscard]] inline Options with_channel(Options options, PutChannel* channel) noexcept {
    options.channel = channel;
    return options;
}

}  // namespace tradewind
