/// The counts of requested columns, and the three steps.
#include "tradewind/skeleton/semi_lagrangian/on_demand_halo.hpp"

#include <algorithm>
#include <cmath>

namespace tradewind::skeleton {

namespace {

constexpr Tag map_tag = 32021;
constexpr Tag columns_tag = 32022;
constexpr std::int64_t map_bits = 8;

/// The two partitions of a halo.
struct HaloPartitions {
    explicit HaloPartitions(const Halo& plan)
        : x(plan.grid[0], plan.processes.cx), y(plan.grid[1], plan.processes.cy) {}
    Partition x;
    Partition y;
};

[[nodiscard]] std::size_t entry(const OnDemandHalo& plan, Rank consumer, const Strip& x,
                                const Strip& y) noexcept {
    return std::size_t((consumer * plan.slots[1] + y.slot) * plan.slots[0] + x.slot);
}

/// The exchange of one rank with another one.
struct Share {
    Rank rank = 0;
    Bytes map = 0;
    Bytes columns = 0;
};

/// Calls visit(x, y, rank) for the pieces of a rank's halo, or for those of others' halos that it
/// holds. Pieces that the consumer itself owns are left out.
void visit_others(const Halo& plan, Rank me, const std::vector<Strip>& xs,
                  const std::vector<Strip>& ys, const auto& visit) {
    for (const Strip& y : ys) {
        for (const Strip& x : xs) {
            const Rank other = y.part * plan.processes.cx + x.part;
            if (other != me) visit(x, y, other);
        }
    }
}

/// Returns the shares of `strips`, which are needed_strips or asked_strips. With the latter the
/// other rank is the consumer.
[[nodiscard]] std::vector<Share> shares(const OnDemandHalo& plan, Rank me, const auto& strips,
                                        bool is_consumer) {
    const Halo& wide = plan.wide;
    const HaloPartitions cuts(wide);
    std::vector<Share> result;
    visit_others(wide, me, strips(cuts.x, wide.processes.column(me), wide.width),
                 strips(cuts.y, wide.processes.row(me), wide.width),
                 [&](const Strip& x, const Strip& y, Rank other) {
                     const Bytes map = (x.cells * y.cells + map_bits - 1) / map_bits;
                     const auto columns =
                         Bytes(plan.needed[entry(plan, is_consumer ? me : other, x, y)]);
                     result.push_back({other, map, columns * plan.column});
                 });
    return result;
}

void receive_and_send(Comm& comm, const std::vector<Share>& from, const std::vector<Share>& to,
                      Bytes Share::* size, Tag tag, std::vector<Request>& requests) {
    requests.clear();
    for (const Share& share : from)
        if (share.*size > 0) requests.push_back(comm.irecv(share.rank, Buffer(share.*size), tag));
    for (const Share& share : to)
        if (share.*size > 0)
            requests.push_back(comm.isend(share.rank, ConstBuffer(share.*size), tag));
}

Task exchange_marked(Comm& comm, const OnDemandHalo& plan) {
    const auto suppliers = shares(plan, comm.rank(), needed_strips, true);
    const auto consumers = shares(plan, comm.rank(), asked_strips, false);
    std::vector<Request> requests;
    comm.begin_phase("maps");
    receive_and_send(comm, consumers, suppliers, &Share::map, map_tag, requests);
    co_await comm.wait_all(requests);
    comm.begin_phase("columns");
    receive_and_send(comm, suppliers, consumers, &Share::columns, columns_tag, requests);
    co_await comm.wait_all(requests);
}

/// Returns the largest number of strips of any part: its own, and on each side as many as fit.
[[nodiscard]] std::int64_t most_slots(const Partition& cut, std::int64_t width) {
    const std::int64_t shortest = cut.size(cut.parts() - 1);
    return 1 + 2 * ((width + shortest - 1) / shortest);
}

}  // namespace

std::int64_t halo_width(const Plane& plane, double max_wind) {
    return std::int64_t(std::ceil(max_wind * plane.time_step_s / plane.spacing_m)) + 2;
}

void find_needed(OnDemandHalo& plan, const DepartureSettings& settings) {
    const Halo& wide = plan.wide;
    const HaloPartitions cuts(wide);
    plan.slots = {most_slots(cuts.x, wide.width), most_slots(cuts.y, wide.width)};
    const Rank ranks = wide.processes.cx * wide.processes.cy;
    plan.needed.assign(std::size_t(ranks * plan.slots[0] * plan.slots[1]), 0);
    for (Rank rank = 0; rank < ranks; ++rank) {
        const NeededColumns columns(settings.wind, settings.plane, owned_box(wide, rank),
                                    wide.width, settings.levels);
        visit_others(wide, rank, needed_strips(cuts.x, wide.processes.column(rank), wide.width),
                     needed_strips(cuts.y, wide.processes.row(rank), wide.width),
                     [&](const Strip& x, const Strip& y, Rank /*other*/) {
                         plan.needed[entry(plan, rank, x, y)] = std::int32_t(columns.count(x, y));
                     });
    }
}

Task exchange_on_demand(Comm& comm, const OnDemandHalo& plan) {
    for (std::int64_t i = 0; i < plan.repeat; ++i) {
        if (!plan.on_demand) {
            co_await exchange_halo(comm, plan.wide);
            continue;
        }
        if (plan.trajectories.elements.fields > 0) co_await exchange_halo(comm, plan.trajectories);
        co_await exchange_marked(comm, plan);
    }
}

Estimate estimate(const OnDemandHalo& plan, Rank ranks) {
    if (!plan.on_demand) return double(plan.repeat) * estimate(plan.wide, ranks);
    return count_messages(ranks, [&](Comm& comm) { return exchange_on_demand(comm, plan); });
}

}  // namespace tradewind::skeleton
