/// The reading of an algorithm's options from settings, common to all programs and models.
#pragma once

#include <algorithm>

#include "tradewind/base/settings.hpp"
#include "tradewind/comm/options.hpp"

namespace tradewind {

/// Returns the default options of an algorithm, with the given protocol.
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
    constexpr std::int64_t largest = std::int64_t{1} << 30;
    Options options = default_options(algorithm);
    options.radix = settings.whole("radix", options.radix,
                                   std::max<std::int64_t>(algorithm.smallest_radix, 1), largest);
    options.window = settings.whole("window", options.window, 1, largest);
    options.protocol = find_protocol(settings.get<std::string>("protocol", "default"));
    options.transport = find_transport(settings.get<std::string>("transport", "two_sided"));
    bool has_protocols = false;
    if constexpr (requires { algorithm.has_protocols; }) has_protocols = algorithm.has_protocols;
    if (!has_protocols) {
        require_default(options.protocol, algorithm.name);
        require_two_sided(options.transport, algorithm.name);
    }
    require_carried(options.transport, options.protocol, algorithm.name);
    return options;
}

}  // namespace tradewind
