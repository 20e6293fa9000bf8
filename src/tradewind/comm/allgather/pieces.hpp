/// Parts shared by the allgather algorithms: the check of the buffers and ranges of blocks.
#pragma once

#include "tradewind/comm/allgather/allgather.hpp"
#include "tradewind/comm/catalogue.hpp"
#include "tradewind/comm/local_work.hpp"

namespace tradewind {

/// Throws ConfigError unless the result has room for exactly one block of each rank.
inline void require_room(const Comm& comm, const Allgather& data, std::string_view algorithm) {
    if (data.all.size() == comm.size() * data.mine.size()) return;
    throw ConfigError(text(algorithm, ": ", comm.size(), " blocks of ", data.mine.size(),
                           " bytes do not make ", data.all.size(), " bytes"));
}

/// Returns blocks first, ..., first + count - 1 of the result.
[[nodiscard]] inline Buffer blocks(const Allgather& data, Rank first, Rank count = 1) noexcept {
    return data.all.part(first * data.mine.size(), count * data.mine.size());
}

}  // namespace tradewind
