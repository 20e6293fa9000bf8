/// The delivery of messages that the options of an algorithm select.
#include "tradewind/comm/options.hpp"

#include "tradewind/base/errors.hpp"

namespace tradewind {

Delivery Options::delivery_by_puts(std::string_view algorithm) const {
    require_carried(transport, protocol, algorithm);
    if (channel == nullptr)
        throw ConfigError(text(algorithm,
                               ": its messages are sent by puts, but no channel has been ",
                               "opened for them"));
    return {protocol, channel};
}

}  // namespace tradewind
