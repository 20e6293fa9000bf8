/// MatchList: posted receives of a rank, or messages that came before their receive, in the order
/// of posting or arrival.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "tradewind/sim/network/message.hpp"
#include "tradewind/simcomm/records.hpp"

namespace tradewind::simcomm {

/// What must agree for a message and a receive to match.
struct MatchKey {
    std::uint32_t source = 0;
    std::uint32_t context = 0;
    std::int32_t tag = 0;
    friend bool operator==(const MatchKey&, const MatchKey&) = default;
};

[[nodiscard]] inline MatchKey match_key(const RequestRecord& receive) noexcept {
    return {receive.peer, receive.envelope.context, receive.envelope.tag};
}
[[nodiscard]] inline MatchKey match_key(const sim::Message& message) noexcept {
    return {message.source_rank, message.context, message.tag};
}

/// Linked through the records: one chain while it is short, one for each of many hashes of the key
/// when it is long, so that a burst of a thousand receives is not searched a thousand times.
/// Records of equal keys stay in order.
template <class Record>
class MatchList {
public:
    using Records = sim::RecordPool<Record>;

    void append(Records& records, std::uint32_t index) {
        if (count_ >= most_per_chain << bits_) grow(records);
        ++count_;
        simcomm::append(chain_of(match_key(records[index])), records, index);
    }
    /// Takes out the oldest record with this key; `none` if there is none.
    [[nodiscard]] std::uint32_t take(Records& records, const MatchKey& key) {
        const std::uint32_t index = take_first(
            chain_of(key), records, [&](const Record& record) { return match_key(record) == key; });
        if (index != none && --count_ == 0 && bits_ > 0) {
            bits_ = 0;
            chains_.reset();
        }
        return index;
    }
    /// Asks for the memory that `take` will touch first.
    void prefetch(Records& records, const MatchKey& key) noexcept {
        if (bits_ > 0) {
            __builtin_prefetch(&chain_of(key));
        } else if (chain_.head != none) {
            __builtin_prefetch(&records[chain_.head]);
        }
    }
    [[nodiscard]] std::uint32_t size() const noexcept { return count_; }

private:
    static constexpr std::uint32_t most_per_chain = 4;
    static constexpr std::uint8_t more_bits = 4;

    [[nodiscard]] Chain& chain_of(const MatchKey& key) noexcept {
        if (bits_ == 0) return chain_;
        const std::uint32_t hash =
            (key.source ^ std::uint32_t(key.tag) * 0x85ebca6bU ^ key.context * 0xc2b2ae35U) *
            0x9e3779b1U;
        return chains_[hash >> (32U - bits_)];
    }
    void grow(Records& records) {
        const auto old_chains = std::exchange(
            chains_, std::make_unique<Chain[]>(std::size_t{1} << (bits_ + more_bits)));
        const std::size_t old_size = std::size_t{1} << bits_;
        const Chain* const old = bits_ == 0 ? &chain_ : old_chains.get();
        bits_ += more_bits;
        for (std::size_t i = 0; i < old_size; ++i) {
            for (std::uint32_t at = old[i].head; at != none;) {
                const std::uint32_t next = records[at].next;
                simcomm::append(chain_of(match_key(records[at])), records, at);
                at = next;
            }
        }
        chain_ = {};
    }

    Chain chain_;
    std::uint32_t count_ = 0;
    /// Number of chains_, as a power of two; 0: all are in chain_.
    std::uint8_t bits_ = 0;
    std::unique_ptr<Chain[]> chains_;
};

}  // namespace tradewind::simcomm
