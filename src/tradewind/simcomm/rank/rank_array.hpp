/// RankArray: the ranks of this process, each at its own number; the others cost address space
/// only.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "tradewind/base/large_memory.hpp"
#include "tradewind/simcomm/rank/sim_rank.hpp"

namespace tradewind::simcomm {

class RankArray {
public:
    explicit RankArray(std::size_t size)
        : size_(size),
          ranks_(LargeAllocator<SimRank>().allocate(size)),
          is_here_((size + 63) / 64) {}
    RankArray(const RankArray&) = delete;
    RankArray& operator=(const RankArray&) = delete;
    ~RankArray() {
        for_each([](std::size_t /*number*/, SimRank& rank) { std::destroy_at(&rank); });
        LargeAllocator<SimRank>().deallocate(ranks_, size_);
    }

    [[nodiscard]] std::size_t size() const noexcept { return size_; }
    /// Returns a rank that has been made.
    [[nodiscard]] SimRank& operator[](std::size_t number) noexcept { return ranks_[number]; }
    template <class... Arguments>
    void make(std::size_t number, Arguments&&... arguments) {
        is_here_[number / 64] |= std::uint64_t{1} << (number % 64);
        ++made_;
        std::construct_at(ranks_ + number, std::forward<Arguments>(arguments)...);
    }
    /// Returns how many have been made.
    [[nodiscard]] std::size_t made() const noexcept { return made_; }

    /// Calls `function(number, rank)` for every rank of this process, in order.
    template <class Function>
    void for_each(const Function& function) const {
        for (std::size_t number = 0; number < size_; ++number) {
            if ((is_here_[number / 64] >> (number % 64) & 1U) != 0)
                function(number, ranks_[number]);
        }
    }

private:
    std::size_t size_;
    SimRank* ranks_;
    std::vector<std::uint64_t> is_here_;
    std::size_t made_ = 0;
};

}  // namespace tradewind::simcomm
