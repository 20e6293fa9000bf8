/// The ranks of a test: virtual ones within this process, or the processes that mpiexec has
/// started.
///
/// The same tests run on both. Where ranks are processes, each holds its own results only, until
/// they are shared.
#pragma once

#include <span>
#include <vector>

#include "tradewind/comm/comm.hpp"
#include "tradewind/comm/program.hpp"

namespace tradewind {

/// Whether the ranks see each other's variables and simulated time.
[[nodiscard]] bool ranks_are_virtual();

/// Those of `counts` that can be run, with this process among the ranks.
[[nodiscard]] std::vector<Rank> runnable(const std::vector<Rank>& counts);

/// `count` virtual ranks, or all processes.
[[nodiscard]] Rank some_ranks(Rank count);

/// Ranks whose results this process holds after a run on `ranks` ranks.
[[nodiscard]] std::vector<Rank> visible(Rank ranks);

/// Runs `program` on the first `ranks` ranks; throws what a rank threw. Returns the time it took.
Picoseconds run_ranks(Rank ranks, const Program& program);

/// Gives all of the first `ranks` ranks the result of rank `of`, whose size they know.
void share(Rank ranks, Rank of, Buffer result);

/// Entry r of `results` is a result of rank r; afterwards every rank has all entries.
template <class T>
void share_all(std::vector<T>& results) {
    for (std::size_t r = 0; r < results.size(); ++r) {
        const auto ranks = Rank(results.size());
        if constexpr (requires { results[r].data(); }) {
            share(ranks, Rank(r), Buffer(std::span(results[r])));
        } else {
            share(ranks, Rank(r), Buffer(std::span<T>(&results[r], 1)));
        }
    }
}

}  // namespace tradewind
