/// The names of the transports, and the protocols that each can carry.
#include "tradewind/comm/protocol/transport.hpp"

#include <string>

#include "tradewind/base/errors.hpp"

namespace tradewind {

Transport find_transport(std::string_view name) {
    for (const Transport transport : {Transport::two_sided, Transport::puts}) {
        if (name == name_of(transport)) return transport;
    }
    throw ConfigError(text("there is no transport '", name, "'; known are: two_sided, puts"));
}

std::string_view name_of(Transport transport) noexcept {
    return transport == Transport::puts ? "puts" : "two_sided";
}

bool puts_carry(Protocol protocol) noexcept {
    if (protocol.is_default()) return true;
    const Calls calls = protocol.calls();
    return !calls.go_ahead && !calls.native && calls.send != Calls::Send::ready;
}

std::vector<std::string_view> put_protocols() {
    std::vector<std::string_view> result;
    for (const auto& [name, words, protocol, summary] : protocols()) {
        const bool is_another = protocol.variant() == 3 || protocol == Protocol(1, 0);
        if (puts_carry(protocol) && !is_another) result.push_back(name);
    }
    return result;
}

void require_carried(Transport transport, Protocol protocol, std::string_view algorithm) {
    if (transport == Transport::two_sided || puts_carry(protocol)) return;
    std::string known = "default";
    for (const ProtocolEntry& entry : protocols()) {
        if (puts_carry(entry.protocol)) known += text(", ", entry.name);
    }
    throw ConfigError(text(algorithm, ": puts cannot carry the protocol (", protocol.order(), ",",
                           protocol.variant(), "), they have neither posted receives nor sendrecv",
                           "; they carry ", known));
}

void require_two_sided(Transport transport, std::string_view who) {
    if (transport == Transport::two_sided) return;
    throw ConfigError(text(who, " sends two-sided messages only; transport \"", name_of(transport),
                           "\" was given, \"two_sided\" was expected"));
}

}  // namespace tradewind
