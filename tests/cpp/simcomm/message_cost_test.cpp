/// The parts of the time of a message, beside the time that a simulation takes for it.
#include "tradewind/simcomm/message_cost.hpp"

#include <algorithm>
#include <numeric>

#include "support/machine.hpp"
#include "support/network_machines.hpp"
#include "testing.hpp"
#include "tradewind/base/errors.hpp"

namespace {

using namespace tradewind;
using simcomm::CostItem;
using simcomm::MessageCost;
using simcomm::MessageEnds;
using simcomm::Sections;

Picoseconds sum(const MessageCost& cost) {
    return std::accumulate(cost.items.begin(), cost.items.end(), Picoseconds{0},
                           [](Picoseconds all, const CostItem& item) { return all + item.time; });
}

Picoseconds item(const MessageCost& cost, const std::string& name) {
    const auto found = std::ranges::find(cost.items, name, &CostItem::name);
    return found == cost.items.end() ? 0 : found->time;
}

bool has_fixed_routes(const support::NetworkMachine& machine) {
    const auto topology = sim::make_topology(machine.topology, machine.shape);
    const auto rule = sim::make_routing(machine.rule, *topology, {});
    return rule->keeps_order() && !rule->is_adaptive();
}

}  // namespace

TEST_CASE("the parts of a message add up to its time on every network, with nothing left over") {
    for (const auto& machine : support::network_machines()) {
        Sections sections = support::machine(machine.topology, machine.shape, machine.rule);
        for (const char* const part : {"switch", "nic"})
            sections[part].set("buffer", std::int64_t{65536});
        for (const Bytes bytes : {Bytes{0}, Bytes{8}, Bytes{5000}, Bytes{1'000'000}}) {
            for (const sim::NodeId to : {1, 5, 15}) {
                const MessageCost cost = message_cost(sections, MessageEnds{0, to, bytes});
                CAPTURE(machine.topology, machine.rule, bytes, to);
                CHECK_EQ(sum(cost), cost.time);
                if (has_fixed_routes(machine)) CHECK_EQ(item(cost, "waiting"), Picoseconds{0});
            }
        }
    }
}

TEST_CASE("the parts of a message are those that one calculates by hand") {
    const Sections sections = support::torus_machine({8});
    const MessageCost eager = message_cost(sections, MessageEnds{0, 2, 100});
    CHECK(eager.is_eager);
    CHECK_EQ(item(eager, "send overhead"), Picoseconds{200'000});
    CHECK_EQ(item(eager, "injection"), Picoseconds{50'000});
    CHECK_EQ(item(eager, "switches"), Picoseconds{3 * 20'000});
    CHECK_EQ(item(eager, "wire"), Picoseconds{2 * 100'000});
    CHECK_EQ(item(eager, "bytes"), Picoseconds{100 * 1000});
    CHECK_EQ(item(eager, "ejection"), Picoseconds{50'000});
    CHECK_EQ(item(eager, "receive overhead"), Picoseconds{300'000});
    CHECK_EQ(eager.time, Picoseconds{960'000});
    const MessageCost announced = message_cost(sections, MessageEnds{0, 2, 2000});
    CHECK(!announced.is_eager);
    const Picoseconds control = 50'000 + 3 * 20'000 + 2 * 100'000 + 64 * 1000 + 50'000;
    CHECK_EQ(item(announced, "rendezvous"), 2 * control);
}

TEST_CASE("what a rank pays for each byte is part of the time of a message") {
    Sections sections = support::torus_machine({8});
    sections["message"].set("overhead_per_byte", 10.0);
    sections["message"].set("copy_per_byte_send", 20.0);
    sections["message"].set("copy_per_byte_receive", 30.0);
    sections["message"].set("overhead_rendezvous", std::int64_t{7000});
    const MessageCost eager = message_cost(sections, MessageEnds{0, 3, 101});
    CHECK_EQ(item(eager, "overhead per byte"), Picoseconds{1000});
    CHECK_EQ(item(eager, "copy by the sender"), Picoseconds{2020});
    CHECK_EQ(item(eager, "copy by the receiver"), Picoseconds{3030});
    CHECK_EQ(item(eager, "waiting"), Picoseconds{0});
    const MessageCost announced = message_cost(sections, MessageEnds{0, 3, 5001});
    CHECK_EQ(item(announced, "overhead per byte"), Picoseconds{50'000});
    CHECK_EQ(item(announced, "copy by the sender"), Picoseconds{0});
    CHECK_EQ(item(announced, "rendezvous overhead"), Picoseconds{7000});
    CHECK_EQ(item(announced, "waiting"), Picoseconds{0});
}

TEST_CASE("a message within a node goes through its memory") {
    for (const std::string model : {"AMM1", "AMM2", "AMM3"}) {
        for (const bool is_copied_once : {false, true}) {
            for (const Bytes bytes : {Bytes{8}, Bytes{100'000}}) {
                Sections sections = support::torus_machine({4});
                sections["node"].set("model", model);
                sections["node"].set("ranks_per_node", std::int64_t{2});
                sections["node"].set("eager_limit", std::int64_t{4096});
                if (is_copied_once) sections["node"].set("message_bandwidth", 2e9);
                const MessageCost cost = message_cost(sections, MessageEnds{1, 1, bytes});
                CAPTURE(model, is_copied_once, bytes);
                CHECK_EQ(sum(cost), cost.time);
                CHECK_EQ(item(cost, "waiting"), Picoseconds{0});
                CHECK(item(cost, "memory latency") == 30'000);
            }
        }
    }
}

TEST_CASE("small buffers hold up the packets of a long message") {
    Sections sections = support::torus_machine({8});
    sections["switch"].set("buffer", std::int64_t{256});
    const MessageCost cost = message_cost(sections, MessageEnds{0, 3, 1'000'000});
    CHECK(item(cost, "waiting") > 0);
    CHECK_EQ(sum(cost), cost.time);
}

TEST_CASE("a message to a node that does not exist, or to itself, is refused") {
    const Sections sections = support::torus_machine({4});
    const auto refused = [&](sim::NodeId from, sim::NodeId to) -> std::string {
        try {
            (void)message_cost(sections, MessageEnds{from, to, 8});
        } catch (const ConfigError& error) {
            return error.what();
        }
        return "";
    };
    CHECK_EQ(refused(0, 4), std::string("node 4 is not in 0..3, the nodes of the machine"));
    CHECK_EQ(refused(-1, 2), std::string("node -1 is not in 0..3, the nodes of the machine"));
    CHECK(support::contains(refused(2, 2), "node 2 has one rank"));
}
