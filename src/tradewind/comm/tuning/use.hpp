/// The operations of a program whose algorithm can be chosen, and the ways to do them, for a search
/// for the best algorithm.
#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tradewind/base/units.hpp"
#include "tradewind/comm/read_options.hpp"
#include "tradewind/comm/types.hpp"

namespace tradewind {

/// An operation within a program.
struct OperationUse {
    /// The table of the operation (alltoallv, allreduce, neighbor), or MODEL.KEY, a choice of a
    /// model.
    std::string operation;
    /// The number of ranks that take part in one operation.
    Rank ranks = 1;
    /// The average bytes of a block (alltoallv), a vector (allreduce) or a message (neighbor); the
    /// largest ones if they grow during the run.
    Bytes bytes = 0;
    /// The stage of the transposition.
    std::string stage;
    /// The number of times that the operation is done; for the transposition, in a run of this
    /// stage alone; for a choice of a model, the number of its time steps.
    std::int64_t count = 1;
    /// The setting that takes the choice as one text, NAME:KEY=VALUE,...; empty if the settings
    /// `algorithm` and those of its options are used instead.
    std::string key;
    /// The number of the phase that the operation is in; -1 for programs without phases.
    std::int64_t phase = -1;
};

/// One way to do an operation.
struct Way {
    std::string operation;
    std::string name;
    /// The options that it reads.
    std::vector<Declaration> options{};
    /// The first name of the same algorithm in its table, which may be `name` itself.
    std::string same_as;
    /// True for the way that is taken where none is named.
    bool is_default = false;

    [[nodiscard]] bool reads(const Declaration& option) const {
        return std::ranges::find(options, option.key, &Declaration::key) != options.end();
    }
};

/// Appends the algorithms of a table as ways to do `operation`, with `prefix` before their names;
/// `by_default` is the whole name of the default. Algorithms that need a connection are left out,
/// since programs keep none.
template <class Algorithm>
void add_ways(std::span<const Algorithm> table, const std::string& operation,
              const std::string& prefix, std::string_view by_default, std::vector<Way>& ways) {
    for (const Algorithm& algorithm : table) {
        if constexpr (requires { algorithm.prepare; })
            if (algorithm.prepare != nullptr) continue;
        const auto first = std::ranges::find(table, algorithm.run, &Algorithm::run);
        const std::string name = prefix + std::string(algorithm.name);
        ways.push_back({operation, name, options_of(algorithm), prefix + std::string(first->name),
                        name == by_default});
    }
}

}  // namespace tradewind
