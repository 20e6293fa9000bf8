/// The reading of an algorithm's options from settings, common to all programs and models.
#pragma once

#include <array>
#include <vector>

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
/// All options, in the order of the columns of a tuning table; a new one comes last.
inline constexpr const Declaration* all[] = {&radix, &window, &protocol, &transport};
/// The options of an operation whose messages no puts can carry.
inline constexpr const Declaration* two_sided[] = {&radix, &window, &protocol};

/// Declares the radix of an algorithm that has one, with its own range and default.
[[nodiscard]] constexpr WholeSetting radix_of(const auto& algorithm) {
    WholeSetting own = radix.within(double(algorithm.smallest_radix), radix.high);
    own.otherwise = algorithm.default_radix;
    return own;
}
}  // namespace options

/// Returns the declarations of the options that an algorithm reads; of any other it accepts only
/// the default.
template <class Algorithm>
[[nodiscard]] std::vector<Declaration> options_of(const Algorithm& algorithm) {
    std::vector<Declaration> read;
    if (algorithm.smallest_radix > 0) read.push_back(options::radix_of(algorithm));
    if constexpr (requires { algorithm.has_window; }) {
        if (algorithm.has_window) read.push_back(options::window);
    }
    if constexpr (requires { algorithm.has_protocols; }) {
        if (!algorithm.has_protocols) return read;
        read.push_back(options::protocol);
        if constexpr (Algorithm::has_transports) read.push_back(options::transport);
    }
    return read;
}

/// Returns the options of an algorithm that is told nothing but a protocol.
[[nodiscard]] Options default_options(const auto& algorithm, Protocol protocol = {}) {
    Options options;
    if (algorithm.smallest_radix > 0) options.radix = algorithm.default_radix;
    options.protocol = protocol;
    return options;
}

/// Reads all options; an absent radix is that of `otherwise`. Throws ConfigError for wrong values,
/// and for a protocol that the transport cannot carry.
[[nodiscard]] inline Options read_any_options(const Settings& settings, std::string_view who,
                                              Options otherwise = {}) {
    Options result = otherwise;
    result.radix = options::radix.of(settings, result.radix);
    result.window = options::window.of(settings);
    result.protocol = find_protocol(options::protocol.of(settings));
    result.transport = options::transport.of(settings);
    require_carried(result.transport, result.protocol, who);
    return result;
}

/// Reads the options of an algorithm, whose own bound applies to the radix, if it has one. Throws
/// ConfigError for wrong values, for a protocol or transport that the algorithm does not accept,
/// and for a protocol that the transport cannot carry. A caller that lets users set `transport` has
/// to open the channel.
[[nodiscard]] Options read_options(const Settings& settings, const auto& algorithm) {
    if (algorithm.smallest_radix > 0) (void)options::radix_of(algorithm).of(settings);
    const Options result = read_any_options(settings, algorithm.name, default_options(algorithm));
    bool has_protocols = false;
    bool has_transports = false;
    if constexpr (requires { algorithm.has_protocols; }) {
        has_protocols = algorithm.has_protocols;
        has_transports = has_protocols && algorithm.has_transports;
    }
    if (!has_protocols) require_default(result.protocol, algorithm.name);
    if (!has_transports) require_two_sided(result.transport, algorithm.name);
    return result;
}

}  // namespace tradewind
