/// Swap: the exchange of equally long messages between two neighbouring ranks by every protocol of
/// worley1998's Table 2, as in its Table 3. Ranks 0 and 1 swap, the others only take part in the
/// barriers.
///
/// A time is that of one swap, both messages included; under (0,x) both ranks send at once, under
/// (1,x) one after the other. The transport is `two_sided` (messages) or `one_sided` (puts with
/// signals, see PutSwap, for the protocols that differ there). With `swaps` = 1 the forms that
/// overlap, (2,x) and (3,x), make the same calls as (0,x) and (1,x) and are left out. With more
/// swaps, that many swaps form one exchange, and a time is that of all of them.
#include <algorithm>
#include <optional>

#include "tradewind/comm/protocol/exchange.hpp"
#include "tradewind/comm/protocol/put_swap.hpp"
#include "tradewind/measure/measurements.hpp"
#include "tradewind/measure/timing.hpp"

namespace tradewind::measure {

namespace {

/// The number of exchanges in one repetition, for all of which the clock is read once.
constexpr std::int64_t turns = 10;
constexpr std::int64_t most_swaps = 1'000'000;

struct SwapPlan {
    std::vector<Bytes> sizes;
    Repetitions repetitions;
    bool payload = true;
    bool one_sided = false;
    std::int64_t swaps = 1;
    std::vector<ProtocolEntry> protocols;
};

[[nodiscard]] bool takes_part(const Comm& comm) {
    return comm.rank() < 2;
}

Task exchange_messages(Comm& comm, const SwapPlan& plan, Protocol protocol, Buffer out, Buffer in) {
    if (!takes_part(comm)) co_return;
    const Rank partner = 1 - comm.rank();
    const Bytes bytes = out.size() / plan.swaps;
    MessagePairs pairs;
    pairs.count = plan.swaps;
    pairs.pair = [=, &comm](std::int64_t i) {
        return MessagePair{partner, out.part(i * bytes, bytes), partner, in.part(i * bytes, bytes),
                           swaps_first(comm.rank(), partner)};
    };
    for (std::int64_t turn = 0; turn < turns; ++turn) co_await exchange(comm, pairs, protocol);
}

Task exchange_puts(Comm& comm, const SwapPlan& plan, Protocol protocol, ConstBuffer out,
                   PutSwap& puts) {
    if (!takes_part(comm)) co_return;
    const Bytes bytes = out.size() / plan.swaps;
    for (std::int64_t i = 0; i < turns * plan.swaps; ++i) {
        co_await puts.swap(comm, out.part(i % plan.swaps * bytes, bytes), protocol);
    }
}

/// Returns the bytes for the messages of an exchange that arrive; one-sided messages use two places
/// in turn.
[[nodiscard]] Bytes room(const SwapPlan& plan, Bytes bytes) {
    return plan.one_sided ? 2 * bytes : plan.swaps * bytes;
}

Task run(Comm& comm, const SwapPlan& plan, Rows* rows) {
    const Bytes largest = *std::ranges::max_element(plan.sizes);
    Memory out(plan.swaps * largest, plan.payload);
    Memory in(room(plan, largest), plan.payload);
    const Rank partner = takes_part(comm) ? 1 - comm.rank() : 0;
    std::optional<PutSwap> puts;
    if (plan.one_sided) puts.emplace(comm, partner, in.first(in.size()));
    std::vector<double> seconds;
    for (const Bytes bytes : plan.sizes) {
        for (const ProtocolEntry& entry : plan.protocols) {
            const Buffer sent = out.first(plan.swaps * bytes);
            const Program body = [&](Comm& on) {
                if (plan.one_sided) return exchange_puts(on, plan, entry.protocol, sent, *puts);
                return exchange_messages(on, plan, entry.protocol, sent, in.first(sent.size()));
            };
            co_await timed(comm, body, plan.repetitions, seconds);
            for (double& time : seconds) time /= double(turns);
            if (rows != nullptr) rows->push_back({std::string(entry.name), bytes, seconds});
        }
    }
}

[[nodiscard]] bool is_one_sided(const Settings& settings) {
    const auto transport = settings.get<std::string>("transport", "two_sided");
    if (transport == "one_sided") return true;
    if (transport == "two_sided") return false;
    throw ConfigError(
        text("swap: there is no transport '", transport, "'; known are: two_sided, one_sided"));
}

[[nodiscard]] bool differs(const SwapPlan& plan, Protocol protocol) {
    if (plan.one_sided) return PutSwap::has(protocol);
    return plan.swaps > 1 || !protocol.overlaps();
}

[[nodiscard]] std::vector<ProtocolEntry> read_protocols(const Settings& settings,
                                                        const SwapPlan& plan) {
    const auto name = settings.get<std::string>("protocol", "all");
    std::vector<ProtocolEntry> chosen;
    const Protocol wanted = name == "all" ? Protocol() : find_protocol(name);
    for (const ProtocolEntry& entry : protocols()) {
        const bool asked = name == "all" || entry.protocol == wanted;
        if (asked && differs(plan, entry.protocol)) chosen.push_back(entry);
    }
    if (!chosen.empty()) return chosen;
    throw ConfigError(text("swap: protocol ", name, " is not measured ",
                           plan.one_sided ? "one-sided" : "with swaps = 1",
                           ": it makes the calls of another one, or has none"));
}

}  // namespace

Program make_swap(const Settings& settings, Rank ranks, std::span<const Native> /*natives*/,
                  Rows& rows) {
    if (ranks < 2) throw ConfigError(text("swap: ranks = ", ranks, ", must be at least 2"));
    // The default sizes are a double, and the 8 KB, 128 KB and 2 MB of worley1998.
    SwapPlan plan{read_sizes(settings, {8, 8 << 10, 128 << 10, 2 << 20}),
                  read_repetitions(settings),
                  settings.get<bool>("payload", true),
                  is_one_sided(settings),
                  settings.whole("swaps", 1, 1, most_swaps),
                  {}};
    if (*std::ranges::min_element(plan.sizes) == 0)
        throw ConfigError("swap: sizes has 0; an empty message is not sent, give 1 or more bytes");
    plan.protocols = read_protocols(settings, plan);
    return
        [plan, &rows](Comm& comm) { return run(comm, plan, comm.rank() == 0 ? &rows : nullptr); };
}

}  // namespace tradewind::measure
