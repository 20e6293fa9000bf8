/// MatchList: posted receives of a rank, or messages that came before their receive, in the order
/// of posting or arrival.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <utility>

#include "tradewind/base/fetch_ahead.hpp"
#include "tradewind/sim/network/message.hpp"
#include "tradewind/simcomm/records.hpp"

namespace tradewind::simcomm {

/// The values in which a message and a receive must agree to match.
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

/// The list of posted receives, or of early messages. A few records are listed in place, with a
/// hash of their keys, so that the records of others need not be touched. More are linked through
/// the records, in one chain for each of many hashes, so that a burst of a thousand receives is not
/// searched a thousand times. Records of equal keys stay in order.
template <class Record>
class MatchList {
public:
    using Records = sim::RecordPool<Record>;

    void append(Records& records, std::uint32_t index) {
        const std::uint32_t hash = hash_of(match_key(records[index]));
        if (bits_ == 0 && count_ < few) {
            near_[count_++] = {index, hash};
            return;
        }
        if (count_ >= few << bits_) grow(records);
        ++count_;
        simcomm::append(chain_of(hash), records, index);
    }
    /// Takes out the oldest record with this key; `none` if there is none.
    [[nodiscard]] std::uint32_t take(Records& records, const MatchKey& key) {
        const std::uint32_t hash = hash_of(key);
        if (bits_ == 0) return take_near(records, key, hash);
        const std::uint32_t index = take_first(chain_of(hash), records, [&](const Record& record) {
            return match_key(record) == key;
        });
        if (index != none && --count_ == 0) {
            bits_ = 0;
            chains_.reset();
        }
        return index;
    }
    /// Asks for the memory that `take` will touch first.
    void prefetch(Records& records, const MatchKey& key) noexcept {
        const std::uint32_t hash = hash_of(key);
        if (bits_ > 0) {
            fetch_ahead(&chain_of(hash));
            return;
        }
        for (std::uint32_t i = 0; i < count_; ++i) {
            if (near_[i].hash == hash) fetch_ahead(&records[near_[i].index]);
        }
    }
    [[nodiscard]] std::uint32_t size() const noexcept { return count_; }

private:
    /// The number of records listed in place, and the mean length of chains at which there will be
    /// more of them.
    static constexpr std::uint32_t few = 4;
    static constexpr std::uint8_t more_bits = 4;
    struct Near {
        std::uint32_t index;
        std::uint32_t hash;
    };

    [[nodiscard]] static std::uint32_t hash_of(const MatchKey& key) noexcept {
        return (key.source ^ std::uint32_t(key.tag) * 0x85ebca6bU ^ key.context * 0xc2b2ae35U) *
               0x9e3779b1U;
    }
    [[nodiscard]] Chain& chain_of(std::uint32_t hash) noexcept {
        return chains_[hash >> (32U - bits_)];
    }
    [[nodiscard]] std::uint32_t take_near(Records& records, const MatchKey& key,
                                          std::uint32_t hash) noexcept {
        for (std::uint32_t i = 0; i < count_; ++i) {
            const std::uint32_t index = near_[i].index;
            if (near_[i].hash != hash || match_key(records[index]) != key) continue;
            --count_;
            for (; i < count_; ++i) near_[i] = near_[i + 1];
            return index;
        }
        return none;
    }
    void grow(Records& records) {
        const auto old = std::exchange(
            chains_, std::make_unique<Chain[]>(std::size_t{1} << (bits_ + more_bits)));
        const std::size_t old_size = bits_ == 0 ? 0 : std::size_t{1} << bits_;
        bits_ += more_bits;
        const auto link = [&](std::uint32_t at) {
            simcomm::append(chain_of(hash_of(match_key(records[at]))), records, at);
        };
        for (std::uint32_t i = 0; old_size == 0 && i < count_; ++i) link(near_[i].index);
        for (std::size_t i = 0; i < old_size; ++i) {
            for (std::uint32_t at = old[i].head; at != none;) {
                const std::uint32_t next = records[at].next;
                link(at);
                at = next;
            }
        }
    }

    std::array<Near, few> near_;
    std::uint32_t count_ = 0;
    /// The number of chains_, as a power of two; 0: all are in near_.
    std::uint8_t bits_ = 0;
    std::unique_ptr<Chain[]> chains_;
};

}  // namespace tradewind::simcomm
