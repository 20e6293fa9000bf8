/// Sub-communicators: strided ones by arithmetic, general ones by an allgather of (colour, key).
#include "tradewind/comm/sub_comm.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <tuple>

#include "tradewind/base/errors.hpp"

namespace tradewind {

namespace {

Rank index_in(Rank rank, Rank first, Rank stride, Rank count, Rank parent_size) {
    const Rank last = first + (count - 1) * stride;
    if (count < 1 || stride == 0 || first < 0 || last < 0 || first >= parent_size ||
        last >= parent_size) {
        throw ConfigError(text("sub-communicator: ", count, " ranks from ", first, " by ", stride,
                               " do not lie in 0..", parent_size - 1));
    }
    const Rank index = (rank - first) / stride;
    if (index < 0 || index >= count || first + index * stride != rank) {
        throw ConfigError(text("sub-communicator: rank ", rank, " is not one of the ", count,
                               " ranks from ", first, " by ", stride));
    }
    return index;
}

Rank index_in(Rank rank, const Group& group) {
    const auto found = std::ranges::find(group, rank);
    if (found == group.end()) {
        throw ConfigError(text("sub-communicator: rank ", rank, " is not in the given group"));
    }
    return found - group.begin();
}

/// Returns the list of a group that all its ranks in one process share, so that P ranks do not hold
/// P copies.
std::shared_ptr<const Group> shared(Group group) {
    static std::mutex mutex;
    static std::map<Group, std::weak_ptr<const Group>> known;
    const std::scoped_lock lock(mutex);
    auto& entry = known[group];
    auto result = entry.lock();
    if (!result) {
        result = std::make_shared<const Group>(std::move(group));
        entry = result;
        std::erase_if(known, [](const auto& pair) { return pair.second.expired(); });
    }
    return result;
}

struct Member {
    std::int64_t colour;
    std::int64_t key;
};

Group members_of(std::span<const Member> all, std::int64_t colour) {
    Group group;
    for (std::size_t r = 0; r < all.size(); ++r) {
        if (all[r].colour == colour) group.push_back(Rank(r));
    }
    std::ranges::sort(group, {}, [&](Rank r) { return std::tuple(all[std::size_t(r)].key, r); });
    return group;
}

}  // namespace

SubComm::SubComm(Comm& parent, Rank first, Rank stride, Rank count)
    : SubComm(parent, Strided{first, stride, count}, parent.next_context()) {}

SubComm::SubComm(Comm& parent, std::shared_ptr<const Group> group)
    : SubComm(parent, std::move(group), parent.next_context()) {}

SubComm::SubComm(Comm& parent, Strided ranks, std::uint32_t context)
    : Comm(index_in(parent.rank(), ranks.first, ranks.stride, ranks.count, parent.size()),
           ranks.count, parent.coroutines(), context),
      parent_(parent),
      first_(ranks.first),
      stride_(ranks.stride) {}

SubComm::SubComm(Comm& parent, std::shared_ptr<const Group> group, std::uint32_t context)
    : Comm(index_in(parent.rank(), *group), Rank(group->size()), parent.coroutines(), context),
      parent_(parent),
      group_(std::move(group)) {}

std::unique_ptr<PersistentMessages> SubComm::prepare_messages(const FixedMessages& messages,
                                                              Envelope envelope) {
    FixedMessages of_parent = messages;
    for (FixedMessage& one : of_parent) one.peer = parent_rank(one.peer);
    return parent_.prepare_messages(of_parent, envelope);
}

SubComm row_of(Comm& comm, Rank columns) {
    return comm.strided(comm.rank() / columns * columns, 1, columns);
}

SubComm column_of(Comm& comm, Rank columns) {
    return comm.strided(comm.rank() % columns, columns, comm.size() / columns);
}

Task split(Comm& comm, std::int64_t colour, std::int64_t key, std::unique_ptr<SubComm>& result) {
    const Rank p = comm.size();
    const Rank r = comm.rank();
    std::vector<Member> all(static_cast<std::size_t>(p));
    const auto at = [&all, p](Rank i) {
        return Buffer(reinterpret_cast<std::byte*>(&all[std::size_t((i + p) % p)]), sizeof(Member));
    };
    all[std::size_t(r)] = {colour, key};
    for (Rank s = 0; s < p - 1; ++s) {
        co_await comm.exchange((r + 1) % p, at(r - s), (r - 1 + p) % p, at(r - s - 1));
    }
    result = std::make_unique<SubComm>(comm, shared(members_of(all, colour)));
}

}  // namespace tradewind
