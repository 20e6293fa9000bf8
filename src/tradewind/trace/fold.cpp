/// The search for repeated runs of calls.
#include "tradewind/trace/fold.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "tradewind/base/interrupts.hpp"
#include "tradewind/base/random.hpp"

namespace tradewind::trace {

namespace {

/// The runs that are compared with the end of the nodes, from the shortest on.
constexpr std::size_t most_candidates = 256;
constexpr std::uint64_t hash_base = 0x9E3779B97F4A7C15;

[[nodiscard]] std::uint64_t hash_of_body(const std::vector<FoldedNode>& body) {
    std::uint64_t hash = 0;
    for (const FoldedNode& node : body) hash = hash * hash_base + node.hash;
    return hash;
}

[[nodiscard]] std::uint64_t hash_of_loop(std::int64_t value, std::uint64_t body) noexcept {
    return mix(std::uint64_t(value), body);
}

[[nodiscard]] bool equal(const FoldedNode& a, const FoldedNode& b) {
    return a.value == b.value && a.hash == b.hash && a.place == b.place &&
           std::ranges::equal(a.body, b.body, equal);
}

void add_times(FoldedNode& to, const FoldedNode& from) {
    to.times.add(from.times);
    for (std::size_t i = 0; i < to.body.size(); ++i) add_times(to.body[i], from.body[i]);
}

}  // namespace

void SummedTimes::add(const SummedTimes& other) noexcept {
    deviation += other.deviation + std::abs(other.processor - processor / turns * other.turns);
    computed += other.computed;
    processor += other.processor;
    inside += other.inside;
    inside_min = std::min(inside_min, other.inside_min);
    inside_max = std::max(inside_max, other.inside_max);
    turns += other.turns;
}

void StreamFolder::add(std::int64_t event, const SummedTimes& times, std::int64_t place) {
    push({event, mix(std::uint64_t(event), std::uint64_t(place)), place, times, {}});
    check_interrupts(32);
    while (fold()) {
    }
}

void StreamFolder::push(FoldedNode node) {
    const Index place = nodes_.size();
    places_[node.hash].push_back(place);
    if (node.is_loop()) loops_ending_[node.body.back().hash].push_back(place);
    prefix_.push_back(prefix_.back() * hash_base + node.hash);
    if (power_.size() < prefix_.size()) power_.push_back(power_.back() * hash_base);
    nodes_.push_back(std::move(node));
}

FoldedNode StreamFolder::pop() {
    const auto forget = [](auto& map, std::uint64_t hash) {
        const auto found = map.find(hash);
        found->second.pop_back();
        if (found->second.empty()) map.erase(found);
    };
    const FoldedNode& node = nodes_.back();
    forget(places_, node.hash);
    if (node.is_loop()) forget(loops_ending_, node.body.back().hash);
    FoldedNode last = std::move(nodes_.back());
    prefix_.pop_back();
    nodes_.pop_back();
    return last;
}

std::uint64_t StreamFolder::hash_of(Index first, Index end) const {
    return prefix_[end] - prefix_[first] * power_[end - first];
}

bool StreamFolder::fold() {
    const std::uint64_t last = nodes_.back().hash;
    const auto newest_first = [&](const auto& map, const auto& visit) {
        const auto found = map.find(last);
        if (found == map.end()) return false;
        const auto& places = found->second;
        const std::size_t tried = std::min(places.size(), most_candidates);
        for (std::size_t i = 1; i <= tried; ++i) {
            if (visit(places[places.size() - i])) return true;
        }
        return false;
    };
    if (newest_first(loops_ending_, [&](Index place) { return fold_into_loop(place); }))
        return true;
    return newest_first(places_, [&](Index place) { return fold_pair(place); });
}

bool StreamFolder::fold_into_loop(Index loop) {
    const std::vector<FoldedNode>& body = nodes_[loop].body;
    const Index first = loop + 1;
    const Index end = nodes_.size();
    if (first > end || end - first != body.size()) return false;
    if (hash_of(first, end) != hash_of_body(body)) return false;
    if (!std::equal(body.begin(), body.end(), nodes_.begin() + std::ptrdiff_t(first), equal))
        return false;
    for (std::size_t i = 0; i < body.size(); ++i)
        add_times(nodes_[loop].body[i], nodes_[first + i]);
    while (nodes_.size() > first) pop();
    FoldedNode grown = pop();
    grown.value -= 1;
    grown.hash = hash_of_loop(grown.value, hash_of_body(grown.body));
    push(std::move(grown));
    return true;
}

bool StreamFolder::fold_pair(Index last_of_first) {
    const Index end = nodes_.size();
    const Index second = last_of_first + 1;
    const Index length = end - second;
    if (length == 0 || length > second) return false;
    const Index first = second - length;
    if (hash_of(first, second) != hash_of(second, end)) return false;
    const auto at = [&](Index i) { return nodes_.begin() + std::ptrdiff_t(i); };
    if (!std::equal(at(first), at(second), at(second), equal)) return false;
    FoldedNode loop;
    loop.value = -2;
    loop.body.assign(at(first), at(second));
    for (std::size_t i = 0; i < length; ++i) add_times(loop.body[i], nodes_[second + i]);
    loop.hash = hash_of_loop(loop.value, hash_of_body(loop.body));
    while (nodes_.size() > first) pop();
    push(std::move(loop));
    return true;
}

void flatten(const std::vector<FoldedNode>& nodes, std::vector<std::int64_t>& items,
             std::vector<SummedTimes>& times) {
    for (const FoldedNode& node : nodes) {
        const std::size_t here = items.size();
        items.insert(items.end(), {node.value, 0});
        times.push_back(node.is_loop() ? SummedTimes{} : node.times);
        if (!node.is_loop()) continue;
        flatten(node.body, items, times);
        items[here + 1] = std::int64_t(items.size() - here - 2) / 2;
    }
}

}  // namespace tradewind::trace
