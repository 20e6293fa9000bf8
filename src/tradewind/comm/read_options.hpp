/// The reading of an algorithm's options from settings, common to all programs and models.
#pragma once

#include <algorithm>

#include "tradewind/base/setting.hpp"
#include "tradewind/comm/options.hpp"

namespace tradewind {

/// The settings that are options of algorithms; which of them an algorithm reads its entry says.
namespace options {
inline constexpr auto radix =
    declare::whole("radix", "partners per stage, or base of a recursion").within(1, 1 << 30);
inline constexpr auto window =
    declare::whole("window", "most messages in flight (spread_out)", Options{}.window)
        .within(1, 1 << 30);
inline constexpr auto protocol =
    declare::word("protocol", "calls by which messages are exchanged", "default");
inline constexpr auto transport =
    declare::one_of<Transport>("transport", "carrier of the messages",
                               {{"two_sided", Transport::two_sided}, {"puts", Transport::puts}});
inline constexpr const Declaration* all[] = {&radix, &window, &protocol, &transport};
}  // namespace options

/// Returns the options of an algorithm that is told nothing but a protocol.
[[nodiscard]] Options default_options(const auto& algorithm, Protocol protocol = {}) {
    Options options;
    if (algorithm.smallest_radix > 0) options.radix = algorithm.default_radix;
    options.protocol = protocol;
    return options;
}

/// Reads `radix`, `window`, `protocol` and `transport`; the algorithm's own bound applies to the
/// radix, if it has one. Throws ConfigError for wrong values, for a protocol or transport that the
/// algorithm does not accept, and for a protocol that the transport cannot carry. A caller that
/// lets users set `transport` has to open the channel.
[[nodiscard]] Options read_options(const Settings& settings, const auto& algorithm) {
    Options result = default_options(algorithm);
    const auto smallest = std::max<std::int64_t>(algorithm.smallest_radix, 1);
    result.radix =
        options::radix.within(double(smallest), options::radix.high).of(settings, result.radix);
    result.window = options::window.of(settings);
    result.protocol = find_protocol(options::protocol.of(settings));
    result.transport = options::transport.of(settings);
    bool has_protocols = false;
    if constexpr (requires { algorithm.has_protocols; }) has_protocols = algorithm.has_protocols;
    if (!has_protocols) {
        require_default(result.protocol, algorithm.name);
        require_two_sided(result.transport, algorithm.name);
    }
    require_carried(result.transport, result.protocol, algorithm.name);
    return result;
}

}  // namespace tradewind
