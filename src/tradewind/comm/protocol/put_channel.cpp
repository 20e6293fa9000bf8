/// The places and counters of a channel.
#include "tradewind/comm/protocol/put_channel.hpp"

#include "tradewind/base/errors.hpp"
#include "tradewind/base/random.hpp"
#include "tradewind/comm/sub_comm.hpp"

namespace tradewind {

namespace {

/// The largest number of ranks of a channel, which has 2 signals per other rank: puts identify a
/// signal by 16 bits.
constexpr Rank most_ranks = 1 + 65536 / 2;

/// Returns the index of rank `other` among all ranks but `own`.
[[nodiscard]] Rank index_of(Rank other, Rank own) noexcept {
    return other < own ? other : other - 1;
}
[[nodiscard]] std::int32_t arrival_signal(Rank index) noexcept {
    return std::int32_t(2 * index);
}
[[nodiscard]] std::int32_t free_signal(Rank index) noexcept {
    return std::int32_t(2 * index + 1);
}
[[nodiscard]] Rank checked(Rank ranks) {
    if (ranks <= most_ranks) return ranks;
    throw ConfigError(text("channel of puts: ", ranks, " ranks are more than the ", most_ranks,
                           " that have signals of their own for each other"));
}

/// The ranks of a communicator within its root, the communicator from which it was made directly or
/// indirectly.
class Ranks {
public:
    explicit Ranks(Comm& comm) : comm_(comm), root_(&comm) {
        for (auto* sub = dynamic_cast<SubComm*>(root_); sub != nullptr;
             sub = dynamic_cast<SubComm*>(root_)) {
            above_.push_back(sub);
            root_ = &sub->parent();
        }
    }
    [[nodiscard]] Comm& root() const noexcept { return *root_; }
    /// Returns a hash of the ranks and their order.
    [[nodiscard]] std::uint64_t number() const {
        std::uint64_t result = std::uint64_t(comm_.size());
        for (Rank r = 0; r < comm_.size(); ++r) {
            Rank there = r;
            for (const SubComm* sub : above_) there = sub->parent_rank(there);
            result = mix(result, std::uint64_t(there));
        }
        return result;
    }

private:
    Comm& comm_;
    Comm* root_;
    std::vector<const SubComm*> above_;
};

}  // namespace

PutChannel::PutChannel(Comm& comm, Bytes longest, bool has_data)
    : longest_(longest),
      has_data_(has_data),
      window_(comm.allocate(places * (checked(comm.size()) - 1) * longest, has_data,
                            std::int32_t(2 * (comm.size() - 1)))),
      nowhere_(!has_data && !window_.memory.is_null() ? std::size_t(longest) : 0),
      peers_(static_cast<std::size_t>(comm.size())) {}

void PutChannel::check(const Comm& comm, ConstBuffer message) const {
    if (message.size() > longest_) {
        throw ConfigError(text("channel of puts: rank ", comm.rank(), " has a message of ",
                               message.size(), " bytes, the channel was opened for ", longest_));
    }
    if (!has_data_ && !message.is_null() && message.size() > 0) {
        throw ConfigError(text("channel of puts: rank ", comm.rank(), " has ", message.size(),
                               " bytes of data, the channel was opened without data"));
    }
}

WaitSignal PutChannel::place(Comm& comm, Rank to) {
    const std::int64_t freed = peers_[std::size_t(to)].sent + 1 - places;
    return comm.wait_signal(window_.window, freed, free_signal(index_of(to, comm.rank())));
}

Request PutChannel::send(Comm& comm, Rank to, ConstBuffer message) {
    check(comm, message);
    const std::int64_t number = peers_[std::size_t(to)].sent++;
    const Rank there = index_of(comm.rank(), to);
    return comm.put(to, window_.window, (there * places + number % places) * longest_, message,
                    arrival_signal(there));
}

WaitSignal PutChannel::arrival(Comm& comm, Rank from) {
    const std::int64_t count = peers_[std::size_t(from)].taken + 1;
    return comm.wait_signal(window_.window, count, arrival_signal(index_of(from, comm.rank())));
}

Request PutChannel::take(Comm& comm, Rank from, Buffer message) {
    check(comm, message);
    const std::int64_t number = peers_[std::size_t(from)].taken++;
    const Rank here = index_of(from, comm.rank());
    const Buffer target =
        nowhere_.empty() || !message.is_null() ? message : Buffer(nowhere_.data(), message.size());
    copy(window_.memory.part((here * places + number % places) * longest_, message.size()), target);
    return comm.put(from, window_.window, 0, ConstBuffer(),
                    free_signal(index_of(comm.rank(), from)));
}

PutChannel& PutChannels::find(Comm& comm, Bytes longest, bool has_data) {
    auto& known = by_group_[Ranks(comm).number()];
    for (const auto& channel : known) {
        if (channel->serves(longest, has_data)) return *channel;
    }
    return *known.emplace_back(std::make_unique<PutChannel>(comm, longest, has_data));
}

PutChannel* open_channel(Comm& comm, Transport transport, Bytes longest, bool has_data) {
    if (transport == Transport::two_sided) return nullptr;
    auto& kept = Ranks(comm).root().channels();
    if (!kept) kept = std::make_shared<PutChannels>();
    return &kept->find(comm, longest, has_data);
}

}  // namespace tradewind
