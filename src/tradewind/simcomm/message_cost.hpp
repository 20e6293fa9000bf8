/// MessageCost: the time of one message between two ranks, and the parts that it consists of.
#pragma once

#include <string>
#include <vector>

#include "tradewind/simcomm/assemble.hpp"

namespace tradewind::simcomm {

/// The part of the time of a message that one piece of the machine takes.
struct CostItem {
    std::string name;
    Picoseconds time = 0;
    /// The origin of the time, for people; may be empty.
    std::string detail;
};

/// A message between two nodes.
struct MessageEnds {
    sim::NodeId from = 0;
    sim::NodeId to = 0;
    Bytes bytes = 0;
};

struct MessageCost {
    /// The parts in the order of the message's way. Their sum is `time`.
    std::vector<CostItem> items;
    /// The time in a simulation, from the call of the sender until the receiver has the message.
    Picoseconds time = 0;
    bool is_eager = true;
};

/// Simulates one message on an idle machine, and says what its time consists of. Both ranks are
/// ready for it. Whatever the parts do not account for is an item of its own: credit that comes
/// late, or packets that take several routes. Throws ConfigError if the machine has no such node,
/// or if both ends are the same node and that has room for one rank.
[[nodiscard]] MessageCost message_cost(const Sections& sections, const MessageEnds& ends);

}  // namespace tradewind::simcomm
