/// The steps of a cursor.
#include "tradewind/trace/cursor.hpp"

namespace tradewind::trace {

bool Cursor::next() {
    for (;;) {
        if (!loops_.empty() && next_ == loops_.back().end) {
            if (--loops_.back().turns_left > 0) {
                next_ = loops_.back().begin;
            } else {
                loops_.pop_back();
            }
            continue;
        }
        if (2 * next_ >= items_.size()) return false;
        at_ = next_++;
        const std::int64_t value = items_[2 * at_];
        if (value >= 0) return true;
        const auto end = next_ + std::size_t(items_[2 * at_ + 1]);
        loops_.push_back({next_, end, -value, -value * turns()});
    }
}

}  // namespace tradewind::trace
