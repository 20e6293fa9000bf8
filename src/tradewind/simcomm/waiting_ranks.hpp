/// WaitingRanks: the ranks that have not finished although nothing is under way, for people.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tradewind/sim/kernel/process_group.hpp"

namespace tradewind::simcomm {

class WaitingRanks {
public:
    /// Adds a rank; ranks come in ascending order.
    void add(std::size_t rank, const std::string& waits_for);
    [[nodiscard]] std::size_t count() const noexcept { return count_; }
    /// Adds the ranks of all processes, on all of them.
    void join(sim::ProcessGroup& group);
    /// Returns the message that, of `ranks`, these wait. It names them all, or the first few of
    /// more than most_named.
    [[nodiscard]] std::string complaint(std::size_t ranks) const;

private:
    static constexpr std::size_t most_named = 64;
    static constexpr std::size_t few = 8;
    struct Named {
        std::size_t rank;
        std::string waits_for;
    };

    std::size_t count_ = 0;
    std::vector<Named> named_;
};

}  // namespace tradewind::simcomm
