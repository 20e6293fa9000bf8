/// The message of a deadlock.
#include "tradewind/simcomm/waiting_ranks.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include "tradewind/base/errors.hpp"
#include "tradewind/simcomm/joint.hpp"

namespace tradewind::simcomm {

/// Returns what a rank waits for without the numbers of other ranks and of tags.
[[nodiscard]] static std::string without_numbers(std::string words) {
    const auto replace = [&](std::string_view before, std::string_view after,
                             std::string_view instead) {
        for (std::size_t at = 0; (at = words.find(before, at)) != std::string::npos;) {
            const std::size_t end = words.find_first_not_of("0123456789", at + before.size());
            const bool is_whole =
                end != at + before.size() &&
                std::string_view(words).substr(std::min(end, words.size())).starts_with(after);
            if (is_whole)
                words.replace(at, std::min(end, words.size()) + after.size() - at, instead);
            at += is_whole ? instead.size() : before.size();
        }
    };
    replace("rank ", "", "another rank");
    replace(" (tag ", ")", "");
    return words;
}

void WaitingRanks::add(std::size_t rank, const std::string& waits_for) {
    ++count_;
    if (named_.size() < most_named) named_.push_back({rank, waits_for});
    count_alike(without_numbers(waits_for), {1, rank});
}

void WaitingRanks::count_alike(const std::string& reason, const Alike& ranks) {
    const auto [found, is_new] = alike_.try_emplace(reason, ranks);
    if (is_new) return;
    found->second.count += ranks.count;
    found->second.first = std::min(found->second.first, ranks.first);
}

void WaitingRanks::join(sim::ProcessGroup& group) {
    ByteArray out;
    write(out, count_);
    write(out, alike_.size());
    for (const auto& [reason, ranks] : alike_) {
        write(out, reason);
        write(out, ranks.count);
        write(out, ranks.first);
    }
    for (const Named& one : named_) {
        write(out, one.rank);
        write(out, one.waits_for);
    }
    count_ = 0;
    named_.clear();
    alike_.clear();
    for (const ByteArray& part : allgather(group, out)) {
        ByteReader in(part);
        count_ += in.next<std::size_t>();
        for (auto left = in.next<std::size_t>(); left > 0; --left) {
            std::string reason;
            in.read(reason);
            const auto count = in.next<std::size_t>();
            count_alike(reason, {count, in.next<std::size_t>()});
        }
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
    if (count_ > shown) message += text("; and ", count_ - shown, " more. Of all, ", reasons());
    return message;
}

std::string WaitingRanks::reasons() const {
    std::vector<std::pair<std::string, Alike>> most(alike_.begin(), alike_.end());
    std::ranges::stable_sort(most, std::greater(),
                             [](const auto& one) { return one.second.count; });
    std::string words;
    std::size_t left = count_;
    for (std::size_t i = 0; i < std::min(most.size(), most_reasons); ++i) {
        const auto& [reason, ranks] = most[i];
        words += text(i == 0 ? "" : ", ", ranks.count, " wait for ", reason, " (the first is rank ",
                      ranks.first, ")");
        left -= ranks.count;
    }
    if (left > 0) words += text(", ", left, " for something else");
    return words;
}

}  // namespace tradewind::simcomm
