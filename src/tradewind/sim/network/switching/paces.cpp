/// Choice of the paces, and of the one that comes nearest to a packet's.
#include "tradewind/sim/network/switching/paces.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <tuple>

#include "tradewind/base/errors.hpp"

namespace tradewind::sim {

namespace {

constexpr std::size_t most_link_classes = 15;
constexpr std::size_t most_paces = most_link_classes + 1;

/// Adds a rate that is not there yet, if there is room for it.
void add_rate(std::vector<TransferRate>& rates, TransferRate rate) {
    const auto is_equal = [&](const TransferRate& other) {
        return other.ps_per_byte() == rate.ps_per_byte();
    };
    if (rates.size() < most_paces && std::ranges::none_of(rates, is_equal)) rates.push_back(rate);
}

/// Adds rates, up to `count` in all: always the geometric mean of the two neighbours with the
/// largest ratio. A square root has the same bits on every machine.
void fill_between(std::vector<TransferRate>& rates, std::size_t count) {
    std::vector<double> times;
    for (const TransferRate& rate : rates) times.push_back(rate.ps_per_byte());
    std::ranges::sort(times);
    const auto ratio_after = [&](std::size_t i) { return times[i + 1] / times[i]; };
    while (rates.size() < count) {
        std::size_t widest = 0;
        for (std::size_t i = 1; i + 1 < times.size(); ++i)
            if (ratio_after(i) > ratio_after(widest)) widest = i;
        const double between = std::sqrt(times[widest] * times[widest + 1]);
        times.insert(times.begin() + std::ptrdiff_t(widest) + 1, between);
        rates.emplace_back(1e12 / between);
    }
}

}  // namespace

Paces::Paces(const NetworkParameters& parameters) : packet_size_(parameters.packet_size) {
    if (parameters.links.size() > most_link_classes) {
        throw TopologyError(text("a network has ", parameters.links.size(),
                                 " classes of links; at most ", most_link_classes,
                                 " are possible"));
    }
    rates_.push_back(parameters.injection.rate);
    for (const LinkSpeed& link : parameters.links) rates_.push_back(link.rate);
    for (const LinkSpeed& link : parameters.links)
        train_rates_.push_back(sustained_rate(parameters, link, parameters.switch_buffer));
    if (parameters.trains_per_message > 0) {
        add_rate(rates_, sustained_rate(parameters, parameters.injection, parameters.nic_buffer));
        for (const TransferRate& rate : train_rates_) add_rate(rates_, rate);
    }
    are_equal_ = std::ranges::all_of(rates_, [&](const TransferRate& rate) {
        return rate.ps_per_byte() == rates_.front().ps_per_byte();
    });
    if (!are_equal_) fill_between(rates_, most_paces);
}

/// Tries the rate of the link first, which is the right one most of the time. A train gets no pace
/// that is slower than its own: what follows it would seem to come in before its end.
int Paces::nearest(std::size_t link_class, Bytes bytes, Picoseconds duration) const noexcept {
    std::size_t best = link_class + 1;
    if (rates_[best].time(bytes) == duration) return int(best);
    Picoseconds least = INT64_MAX;
    for (std::size_t i = 0; i < rates_.size(); ++i) {
        const Picoseconds late = rates_[i].time(bytes) - duration;
        if (bytes > packet_size_ && late > 0) continue;
        const Picoseconds off = std::abs(late);
        if (off < least) std::tie(best, least) = std::pair(i, off);
    }
    return int(best);
}

}  // namespace tradewind::sim
