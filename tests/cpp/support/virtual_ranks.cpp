/// The functions of ranks.hpp for tests on virtual ranks.
#include "support/ranks.hpp"

#include "tradewind/simcomm/virtual_ranks.hpp"

namespace tradewind {

bool ranks_are_virtual() {
    return true;
}

std::vector<Rank> runnable(const std::vector<Rank>& counts) {
    return counts;
}

Rank some_ranks(Rank count) {
    return count;
}

std::vector<Rank> visible(Rank ranks) {
    std::vector<Rank> all;
    for (Rank r = 0; r < ranks; ++r) all.push_back(r);
    return all;
}

Picoseconds run_ranks(Rank ranks, const Program& program) {
    return simcomm::run_virtual(ranks, program).time;
}

void share(Rank /*ranks*/, Rank /*of*/, Buffer /*result*/) {}

}  // namespace tradewind
