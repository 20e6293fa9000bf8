/// Swap: the exchange of equally long messages between two neighbouring ranks by every protocol of
/// worley1998's Table 2, as in its Table 3. Ranks 0 and 1 swap, the others only take part in the
/// barriers.
///
/// A time is that of one swap, both messages included; under (0,x) both ranks send at once, under
/// (1,x) one after the other. The transport is `two_sided` (messages) or `puts` (with signals, see
/// PutSwap, for the protocols that differ there). With `swaps` = 1 the forms that
/// overlap, (2,x) and (3,x), make the same calls as (0,x) and (1,x) and are left out. With more
/// swaps, that many swaps form one exchange, and a time is that of all of them.
#include <algorithm>
#include <optional>

#include "tradewind/comm/protocol/exchange.hpp"
#include "tradewind/comm/protocol/put_swap.hpp"
#include "tradewind/comm/read_options.hpp"
#include "tradewind/measure/measurement.hpp"
#include "tradewind/measure/timing.hpp"

namespace tradewind::measure {

namespace {

/// The number of exchanges in one repetition, for all of which the clock is read once.
constexpr std::int64_t turns = 10;

/// The word for all protocols that differ.
constexpr std::string_view all = "all";
constexpr auto protocol_name =
    declare::word("protocol", "protocol of worley1998's Table 2, or \"all\" that differ", all);
constexpr auto swaps =
    declare::whole("swaps", "swaps of one exchange, which (2,x) and (3,x) overlap", 1)
        .within(1, 1'000'000);
/// An empty message is not sent. The usual sizes are a double, for the latency, and the 2 MB, 128
/// KB and 8 KB of worley1998.
constexpr auto sizes_of_swap =
    declare::whole_list("sizes", "bytes of a message; default: 8 B, 2 MiB, 128 KiB, 8 KiB", 1, 1000)
        .within(1, 0x1p50);
constexpr const Declaration* settings_of_swap[] = {
    &options::transport, &protocol_name,  &swaps,         &sizes_of_swap,
    &given::repetitions, &given::warm_up, &given::payload};

struct SwapPlan {
    std::vector<Bytes> sizes;
    Repetitions repetitions;
    bool payload = true;
    bool by_puts = false;
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

/// Returns the bytes for the messages of an exchange that arrive; puts use two places
/// in turn.
[[nodiscard]] Bytes room(const SwapPlan& plan, Bytes bytes) {
    return plan.by_puts ? 2 * bytes : plan.swaps * bytes;
}

Task run(Comm& comm, const SwapPlan& plan, Rows* rows) {
    const Bytes largest = *std::ranges::max_element(plan.sizes);
    Memory out(plan.swaps * largest, plan.payload);
    Memory in(room(plan, largest), plan.payload);
    const Rank partner = takes_part(comm) ? 1 - comm.rank() : 0;
    std::optional<PutSwap> puts;
    if (plan.by_puts) puts.emplace(comm, partner, in.first(in.size()));
    std::vector<double> seconds;
    for (const Bytes bytes : plan.sizes) {
        for (const ProtocolEntry& entry : plan.protocols) {
            const Buffer sent = out.first(plan.swaps * bytes);
            const Program body = [&](Comm& on) {
                if (plan.by_puts) return exchange_puts(on, plan, entry.protocol, sent, *puts);
                return exchange_messages(on, plan, entry.protocol, sent, in.first(sent.size()));
            };
            co_await timed(comm, body, plan.repetitions, seconds);
            for (double& time : seconds) time /= double(turns);
            if (rows != nullptr) rows->push_back({std::string(entry.name), bytes, seconds});
        }
    }
}

[[nodiscard]] bool differs(const SwapPlan& plan, Protocol protocol) {
    if (plan.by_puts) return PutSwap::has(protocol);
    return plan.swaps > 1 || !protocol.overlaps();
}

[[nodiscard]] std::vector<ProtocolEntry> read_protocols(const Settings& settings,
                                                        const SwapPlan& plan) {
    const std::string name = protocol_name.of(settings);
    std::vector<ProtocolEntry> chosen;
    const Protocol wanted = name == all ? Protocol() : find_protocol(name);
    for (const ProtocolEntry& entry : protocols()) {
        const bool asked = name == all || entry.protocol == wanted;
        if (asked && differs(plan, entry.protocol)) chosen.push_back(entry);
    }
    if (!chosen.empty()) return chosen;
    throw ConfigError(text("swap: protocol ", name, " is not measured ",
                           plan.by_puts ? "by puts" : "with swaps = 1",
                           ": it makes the calls of another one, or has none"));
}

Program make_swap(const Settings& settings, Rank ranks, const Platform& /*platform*/, Rows& rows) {
    if (ranks < 2) throw ConfigError(text("swap: ranks = ", ranks, ", must be at least 2"));
    SwapPlan plan{sizes_of_swap.of(settings, {8, 2 << 20, 128 << 10, 8 << 10}),
                  read_repetitions(settings),
                  given::payload.of(settings),
                  options::transport.of(settings) == Transport::puts,
                  swaps.of(settings),
                  {}};
    plan.protocols = read_protocols(settings, plan);
    return
        [plan, &rows](Comm& comm) { return run(comm, plan, comm.rank() == 0 ? &rows : nullptr); };
}

}  // namespace

extern const MeasurementEntry swap_entry;
constinit const MeasurementEntry swap_entry = {
    .name = "swap",
    .summary = "exchange between two neighbouring ranks, by every protocol of worley1998",
    .settings = settings_of_swap,
    .prepare = make_swap,
};

}  // namespace tradewind::measure
