/// PathTree: the chains of steps that lead to the present states of ranks, messages and requests.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "tradewind/base/errors.hpp"
#include "tradewind/simcomm/critical_path/path_step.hpp"

namespace tradewind::simcomm {

/// The number of a step in the tree; 0 is its root, the start of the run.
using StepId = std::uint32_t;

/// Steps with a common past share it. A step that nothing leads on from is taken out, so that the
/// tree holds only what may still become part of the critical path.
class PathTree {
public:
    /// Returns a new step after `before`, which the caller keeps. A step begins where the one
    /// before it ends.
    [[nodiscard]] StepId add(StepId before, const PathStep& step) {
        keep(before);
        StepId id = 0;
        if (free_.empty()) {
            if (nodes_.size() >= most_steps) {
                throw ConfigError(text("the critical path has more than ", most_steps,
                                       " steps that may still matter: fewer ranks or repetitions"));
            }
            id = StepId(nodes_.size());
            nodes_.emplace_back();
        } else {
            id = free_.back();
            free_.pop_back();
        }
        nodes_[id] = {step, before, 1};
        return id;
    }
    void keep(StepId id) noexcept {
        if (id != 0) ++nodes_[id].uses;
    }
    void drop(StepId id) {
        while (id != 0 && --nodes_[id].uses == 0) {
            free_.push_back(id);
            id = nodes_[id].before;
        }
    }
    /// Puts `step`, which is kept already, in the place of another one.
    void replace(StepId& place, StepId step) { drop(std::exchange(place, step)); }
    /// Puts `step`, which is kept already, in the place of one that does not end later.
    void keep_later(StepId& place, StepId step) {
        if (nodes_[step].step.end >= nodes_[place].step.end) {
            replace(place, step);
        } else {
            drop(step);
        }
    }
    /// Adds a step that lasts until `end` to the path at `place`. Steps without a duration are left
    /// out.
    void append(StepId& place, PathStep step, Picoseconds end) {
        step.begin = nodes_[place].step.end;
        if (end <= step.begin) return;
        step.end = end;
        replace(place, add(place, step));
    }
    [[nodiscard]] const PathStep& operator[](StepId id) const noexcept { return nodes_[id].step; }
    [[nodiscard]] StepId before(StepId id) const noexcept { return nodes_[id].before; }
    /// Lets a step that nothing else has seen end later. Returns false if something has.
    [[nodiscard]] bool extend(StepId id, Picoseconds end) noexcept {
        if (id == 0 || nodes_[id].uses != 1) return false;
        nodes_[id].step.end = end;
        return true;
    }
    /// Returns the number of steps in the tree.
    [[nodiscard]] std::size_t size() const noexcept { return nodes_.size() - 1 - free_.size(); }

private:
    static constexpr std::size_t most_steps = std::size_t{1} << 27;
    struct Node {
        PathStep step;
        StepId before = 0;
        std::uint32_t uses = 0;
    };

    std::vector<Node> nodes_{1};
    std::vector<StepId> free_;
};

}  // namespace tradewind::simcomm
