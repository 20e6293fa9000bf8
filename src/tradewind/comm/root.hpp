/// Ranks counted from the root of an operation, and the check of the root.
#pragma once

#include "tradewind/base/errors.hpp"
#include "tradewind/comm/comm.hpp"

namespace tradewind {

/// Returns the number of `rank` when ranks are counted from the root.
[[nodiscard]] inline Rank relative(Rank rank, Rank root, Rank ranks) noexcept {
    return rank >= root ? rank - root : rank - root + ranks;
}
/// Returns the rank whose number, counted from the root, is `rank`.
[[nodiscard]] inline Rank absolute(Rank rank, Rank root, Rank ranks) noexcept {
    return rank + root < ranks ? rank + root : rank + root - ranks;
}

/// Throws ConfigError unless the root is a rank of the communicator.
inline void require_root(const Comm& comm, Rank root, std::string_view algorithm) {
    if (root >= 0 && root < comm.size()) return;
    throw ConfigError(text(algorithm, ": root ", root, " is not a rank of this communicator (0..",
                           comm.size() - 1, ")"));
}

}  // namespace tradewind
