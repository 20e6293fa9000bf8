/// The ranks of a test: virtual ranks within this process, or the processes that mpiexec has
/// started.
///
/// The same tests run on both. If ranks are processes, each holds only its own results until they
/// are shared.
#pragma once

#include <span>
#include <vector>

#include "tradewind/comm/comm.hpp"
#include "tradewind/comm/program.hpp"

namespace tradewind {

/// Reports whether the ranks share variables and have simulated time.
[[nodiscard]] bool ranks_are_virtual();

/// Returns those of `counts` that can be run with this process among the ranks.
[[nodiscard]] std::vector<Rank> runnable(const std::vector<Rank>& counts);

/// Returns `count` for virtual ranks, else the number of processes.
[[nodiscard]] Rank some_ranks(Rank count);

/// Returns the ranks whose results this process holds after a run on `ranks` ranks.
[[nodiscard]] std::vector<Rank> visible(Rank ranks);

/// Runs `program` on the first `ranks` ranks and returns the time it took; rethrows the exception
/// of a rank.
Picoseconds run_ranks(Rank ranks, const Program& program);

/// Gives the result of rank `of`, whose size is known, to all of the first `ranks` ranks.
void share(Rank ranks, Rank of, Buffer result);

/// Gives all entries of `results` to every rank; entry r is a result of rank r.
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
