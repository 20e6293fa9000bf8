/// The table of protocols, and the calls of each.
#include "tradewind/comm/protocol/protocol.hpp"

#include <algorithm>
#include <string>

#include "tradewind/base/errors.hpp"

namespace tradewind {

namespace {

constexpr ProtocolEntry table[] = {
    {"(0,0)", "simple", {0, 0}, "buffered send, receive"},
    {"(0,1)", "nonblocking_send", {0, 1}, "isend, receive, wait"},
    {"(0,2)", "nonblocking_receive", {0, 2}, "irecv, send, wait"},
    {"(0,3)", "nonblocking", {0, 3}, "irecv, isend, wait for both"},
    {"(0,4)", "ready_send", {0, 4}, "irecv, go-ahead, ready send, wait"},
    {"(0,5)", "nonblocking_ready_send", {0, 5}, "irecv, go-ahead, nonblocking ready send, wait"},
    {"(0,6)", "native_sendrecv", {0, 6}, "sendrecv"},
    {"(1,0)", "ordered_simple", {1, 0}, "one side sends first, the other one answers"},
    {"(1,1)", "ordered_nonblocking_send", {1, 1}, "(1,0) with isend"},
    {"(1,2)", "ordered_nonblocking_receive", {1, 2}, "(1,0) with the answer's receive posted"},
    {"(1,3)", "ordered_nonblocking", {1, 3}, "(1,2) with isend"},
    {"(1,4)", "ordered_ready_send", {1, 4}, "(1,2) with ready sends; one side gives a go-ahead"},
    {"(1,5)", "ordered_nonblocking_ready_send", {1, 5}, "(1,4) with nonblocking ready sends"},
    {"(1,6)", "synchronous", {1, 6}, "(1,0) with a go-ahead before either send"},
    {"(2,1)", "overlap_nonblocking_send", {2, 1}, "(0,1): all sends, then all receives"},
    {"(2,2)", "overlap_nonblocking_receive", {2, 2}, "(0,2): all receives posted first"},
    {"(2,3)", "overlap_nonblocking", {2, 3}, "(0,3): all receives posted first, then all sends"},
    {"(2,4)", "overlap_ready_send", {2, 4}, "(0,4): all receives and go-aheads first"},
    {"(2,5)", "overlap_nonblocking_ready_send", {2, 5}, "(0,5): all receives and go-aheads first"},
    {"(2,6)", "overlap_native_sendrecv", {2, 6}, "(0,6): nothing to take apart"},
    {"(3,1)", "overlap_ordered_nonblocking_send", {3, 1}, "(1,1), its first sends early"},
    {"(3,2)", "overlap_ordered_nonblocking_receive", {3, 2}, "(1,2), all receives posted first"},
    {"(3,3)", "overlap_ordered_nonblocking", {3, 3}, "(1,3), all receives posted first"},
    {"(3,4)", "overlap_ordered_ready_send", {3, 4}, "(1,4), all receives posted first"},
    {"(3,5)", "overlap_ordered_nonblocking_ready_send", {3, 5}, "(1,5), all receives posted first"},
    {"(3,6)", "overlap_synchronous", {3, 6}, "(1,6): nothing to take apart"},
};

constexpr auto buffered = Calls::Send::buffered;
constexpr auto standard = Calls::Send::standard;
constexpr auto ready = Calls::Send::ready;

/// The calls by variant: send, blocking, posted, go-ahead, native.
constexpr Calls unordered[] = {
    {buffered, false, false, false, false}, {standard, false, false, false, false},
    {standard, true, true, false, false},   {standard, false, true, false, false},
    {ready, true, true, true, false},       {ready, false, true, true, false},
    {standard, false, true, false, true},
};
/// The calls of the ordered protocols. They differ from `unordered` in the first and the last
/// variant: no buffering is needed, and go-aheads replace sendrecv.
constexpr Calls ordered[] = {
    {standard, true, false, false, false},
    unordered[1],
    unordered[2],
    unordered[3],
    unordered[4],
    unordered[5],
    {standard, true, false, true, false},
};

}  // namespace

Calls Protocol::calls() const noexcept {
    return (is_ordered() ? ordered : unordered)[std::size_t(variant_)];
}

std::span<const ProtocolEntry> protocols() {
    return table;
}

Protocol find_protocol(std::string_view name) {
    std::string wanted(name);
    std::erase(wanted, ' ');
    if (wanted == "default") return {};
    std::string known = "default";
    for (const ProtocolEntry& entry : table) {
        if (wanted == entry.name || wanted == entry.words) return entry.protocol;
        known += text(", ", entry.name, " ", entry.words);
    }
    throw ConfigError(text("there is no protocol '", name, "'; known are: ", known));
}

void require_default(Protocol protocol, std::string_view algorithm) {
    if (protocol.is_default()) return;
    throw ConfigError(text(algorithm, " starts its messages in an order of its own and takes no ",
                           "protocol; (", protocol.order(), ",", protocol.variant(),
                           ") was given, \"default\" was expected"));
}

}  // namespace tradewind
