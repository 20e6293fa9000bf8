/// The access of the algorithms called "native" to the collectives of the MPI library.
#pragma once

#include <string_view>

#include "tradewind/base/errors.hpp"
#include "tradewind/comm/comm.hpp"
#include "tradewind/comm/options.hpp"

namespace tradewind {

inline constexpr std::string_view native = "native";

/// Returns the collectives of the library. Throws ConfigError, on all ranks, if there is no
/// library, or for other options than the default: the library chooses its own algorithm.
[[nodiscard]] inline LibraryCollectives& library_of(Comm& comm, const Options& options,
                                                    std::string_view operation) {
    if (!options.protocol.is_default() || options.transport != Transport::two_sided) {
        throw ConfigError(text(operation,
                               ": native takes no protocol and no transport; the library ",
                               "below makes its own choice"));
    }
    LibraryCollectives* const library = comm.library();
    if (library == nullptr) {
        throw ConfigError(text(operation,
                               ": native is the collective of an MPI library; simulated ",
                               "ranks have none"));
    }
    return *library;
}

}  // namespace tradewind
