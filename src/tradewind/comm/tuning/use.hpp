/// What a search for the best algorithm has to know of a program: its operations whose algorithm
/// one can choose, and the ways to do them.
#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tradewind/base/units.hpp"
#include "tradewind/comm/types.hpp"

namespace tradewind {

/// An operation within a program.
struct OperationUse {
    /// A table of this library (alltoallv, allreduce, neighbor), or MODEL.KEY, a choice of a model.
    std::string operation;
    /// Ranks that take part in one of them.
    Rank ranks = 1;
    /// Of a block (alltoallv), a vector (allreduce) or a message (neighbor) on average; the longest
    /// one where they grow.
    Bytes bytes = 0;
    /// The stage of the transposition.
    std::string stage;
    /// How often it is done; of the transposition, in a run of this stage alone. Of a model's
    /// choice, the number of its time steps.
    std::int64_t count = 1;
    /// The setting that takes the choice as one text, NAME:KEY=VALUE,...; empty where `algorithm`,
    /// `radix`, `window` and `protocol` do.
    std::string key;
};

/// One way to do an operation.
struct Way {
    std::string operation;
    std::string name;
    std::int64_t smallest_radix = 0;
    std::int64_t default_radix = 0;
    bool has_protocols = false;
    /// An earlier name of the same algorithm, or its own.
    std::string same_as;
};

/// The algorithms of a table as ways to do `operation`, with `prefix` before their names; those
/// that need a window are left out, since programs have none.
template <class Algorithm>
void add_ways(std::span<const Algorithm> table, const std::string& operation,
              const std::string& prefix, std::vector<Way>& ways) {
    for (const Algorithm& algorithm : table) {
        if constexpr (requires { algorithm.needs_window; })
            if (algorithm.needs_window) continue;
        const auto first = std::ranges::find(table, algorithm.run, &Algorithm::run);
        ways.push_back({operation, prefix + std::string(algorithm.name), algorithm.smallest_radix,
                        algorithm.default_radix, algorithm.has_protocols,
                        prefix + std::string(first->name)});
    }
}

}  // namespace tradewind
