/// The message of a deadlock.
#include "tradewind/simcomm/waiting_ranks.hpp"

#include <algorithm>

#include "tradewind/base/errors.hpp"
#include "tradewind/simcomm/joint.hpp"

namespace tradewind::simcomm {

void WaitingRanks::add(std::size_t rank, const std::string& waits_for) {
    ++count_;
    if (named_.size() < most_named) named_.push_back({rank, waits_for});
}

void WaitingRanks::join(sim::ProcessGroup& group) {
    ByteArray out;
    write(out, count_);
    for (const Named& one : named_) {
        write(out, one.rank);
        write(out, one.waits_for);
    }
    count_ = 0;
    named_.clear();
    for (const ByteArray& part : allgather(group, out)) {
        ByteReader in(part);
        count_ += in.next<std::size_t>();
        while (!in.is_at_end()) {
            Named& one = named_.emplace_back();
            in.read(one.rank);
            in.read(one.waits_for);
        }
    }
    std::ranges::sort(named_, {}, &Named::rank);
    named_.resize(std::min(named_.size(), most_named));
}

std::string WaitingRanks::complaint(std::size_t ranks) const {
    std::string message =
        text("deadlock: ", count_, " of ", ranks, " ranks wait and nothing is under way");
    const std::size_t shown = count_ > named_.size() ? few : named_.size();
    for (std::size_t i = 0; i < shown; ++i) {
        message +=
            text(i == 0 ? ": " : "; ", "rank ", named_[i].rank, " waits for ", named_[i].waits_for);
    }
    if (count_ > shown) message += text("; and ", count_ - shown, " more");
    return message;
}

}  // namespace tradewind::simcomm
