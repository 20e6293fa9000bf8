/// Cursor: walks through the items of a stream and repeats the bodies of its loops.
#pragma once

#include <vector>

#include "tradewind/trace/trace.hpp"

namespace tradewind::trace {

class Cursor {
public:
    /// The items of one stream, as in the array `items`.
    explicit Cursor(Numbers items) : items_(items) {}

    /// Moves on to the next call; returns false at the end.
    [[nodiscard]] bool next();
    /// Returns the item of the current call, counted from the first of the stream.
    [[nodiscard]] std::size_t item() const noexcept { return at_; }
    [[nodiscard]] std::int64_t event() const noexcept { return items_[2 * at_]; }
    /// Returns how often the current call is made in all turns of the loops around it.
    [[nodiscard]] std::int64_t turns() const noexcept {
        return loops_.empty() ? 1 : loops_.back().all_turns;
    }

private:
    struct Loop {
        std::size_t begin;
        std::size_t end;
        std::int64_t turns_left;
        std::int64_t all_turns;
    };

    Numbers items_;
    std::vector<Loop> loops_;
    std::size_t at_ = 0;
    std::size_t next_ = 0;
};

}  // namespace tradewind::trace
