/// The parts of the time of a message, by the LogGOPS model of its ranks and of cut-through.
#include "tradewind/simcomm/message_cost.hpp"

#include <algorithm>
#include <numeric>

#include "tradewind/base/errors.hpp"
#include "tradewind/sim/network/contention_free.hpp"
#include "tradewind/sim/routing/catalogue.hpp"
#include "tradewind/simcomm/machine_settings.hpp"
#include "tradewind/simcomm/read_machine.hpp"

namespace tradewind::simcomm {

namespace {

/// The way of a message through an idle network: its delays, and the time of its bytes.
struct PathCost {
    Picoseconds switches = 0;
    Picoseconds links = 0;
    Picoseconds bytes = 0;
    int hops = 0;
    /// The piece whose rate decides about the time of the bytes, and that rate.
    std::string slowest;
    double ps_per_byte = 0.0;
};

/// Returns a rate as people write it: "25 GB/s".
std::string rate_text(double ps_per_byte) {
    std::string digits = text(1e3 / ps_per_byte);
    return digits + " GB/s";
}

class CostModel {
public:
    explicit CostModel(const Sections& sections)
        : topology_(make_topology(sections)),
          routing_(make_routing(sections, *topology_)),
          shortest_(sim::make_routing("minimal", *topology_, {})),
          network_(read_network(sections, *topology_, *routing_)),
          ranks_(read_ranks(sections)),
          ranks_per_node_(given::node::ranks_per_node.of(section(sections, "node"))),
          fixed_(!routing_->is_adaptive() && routing_->keeps_order()),
          alone_(*topology_, *shortest_, network_, fixed_) {
        if (given::nic::affinity.of(section(sections, "nic")) == Affinity::stripe)
            stripes_ = network_.nics_per_node;
    }

    [[nodiscard]] const sim::Topology& topology() const noexcept { return *topology_; }
    [[nodiscard]] bool has_fixed_routes() const noexcept { return fixed_; }
    /// Returns true if the data are cut into parts for the interfaces of a node.
    [[nodiscard]] bool is_striped(const MessageEnds& ends) const noexcept {
        return stripes_ > 1 && !is_eager(ends) && ends.from != ends.to && ends.bytes >= stripes_;
    }
    [[nodiscard]] bool is_eager(const MessageEnds& ends) const noexcept {
        return ends.bytes <= (ends.from == ends.to ? ranks_.node_eager_limit : ranks_.eager_limit);
    }
    [[nodiscard]] std::vector<CostItem> items(const MessageEnds& ends) const;

private:
    [[nodiscard]] PathCost path_cost(const MessageEnds& ends) const;
    void add_control(std::vector<CostItem>& items, const MessageEnds& ends) const;
    void add_network(std::vector<CostItem>& items, const MessageEnds& ends) const;
    void add_memory(std::vector<CostItem>& items, const MessageEnds& ends) const;
    void add_send(std::vector<CostItem>& items, const MessageEnds& ends) const;
    void add_receive(std::vector<CostItem>& items, const MessageEnds& ends) const;
    [[nodiscard]] Bytes largest_part(const MessageEnds& ends) const noexcept {
        return is_striped(ends) ? (ends.bytes + stripes_ - 1) / stripes_ : ends.bytes;
    }
    /// Returns the further latency between the first two ranks of a node.
    [[nodiscard]] Picoseconds numa_latency() const noexcept {
        return network_.numa_domains >= ranks_per_node_ ? network_.numa_latency : 0;
    }
    [[nodiscard]] Picoseconds flight(const PathCost& path) const noexcept {
        return network_.injection.latency + path.switches + path.links + path.bytes +
               network_.ejection.latency;
    }

    std::unique_ptr<sim::Topology> topology_;
    std::unique_ptr<sim::Routing> routing_;
    std::unique_ptr<sim::Routing> shortest_;
    sim::NetworkParameters network_;
    RankParameters ranks_;
    std::int64_t ranks_per_node_;
    Bytes stripes_ = 1;
    bool fixed_;
    sim::ContentionFree alone_;
};

PathCost CostModel::path_cost(const MessageEnds& ends) const {
    PathCost result;
    const auto offer = [&](const std::string& name, const TransferRate& rate) {
        if (rate.ps_per_byte() <= result.ps_per_byte) return;
        result.slowest = name;
        result.ps_per_byte = rate.ps_per_byte();
    };
    offer("injection", network_.injection.rate);
    const sim::NodeId per_switch = topology_->nodes_per_switch();
    const sim::SwitchId source = ends.from / per_switch;
    const auto classes = topology_->link_classes();
    sim::follow_route(*topology_, *shortest_, source, ends.to, 0,
                      [&](sim::SwitchId, sim::PortId, const sim::Link& link) {
                          const auto number = std::size_t(link.link_class);
                          const std::string& name = classes[number];
                          offer(name == "link" ? name : name + " link",
                                network_.links[number].rate);
                          result.links += network_.links[number].latency;
                          ++result.hops;
                      });
    offer("ejection", network_.ejection.rate);
    if (network_.node_model != sim::NodeModel::amm1) offer("node memory", network_.memory);
    result.switches = (result.hops + 1) * network_.switch_latency;
    sim::Message message;
    message.bytes = ends.bytes > 0 ? ends.bytes : network_.control_size;
    message.packet_size = std::uint32_t(sim::packet_size_of(network_, message.bytes));
    const Picoseconds whole = alone_.time(message, source, ends.to / per_switch, ends.to);
    result.bytes = whole - flight(result);
    return result;
}

void CostModel::add_send(std::vector<CostItem>& items, const MessageEnds& ends) const {
    items.push_back({"send overhead", ranks_.send_overhead, "processor of the sender"});
    const double more = double(std::max<Bytes>(ends.bytes - 1, 0));
    items.push_back({"overhead per byte", Picoseconds(ranks_.overhead_per_byte_ps * more), ""});
    const double copied = is_eager(ends) ? double(ends.bytes) : 0.0;
    items.push_back({"copy by the sender", Picoseconds(ranks_.send_copy_ps * copied),
                     "into a buffer of the library"});
}

void CostModel::add_receive(std::vector<CostItem>& items, const MessageEnds& ends) const {
    items.push_back({"receive overhead", ranks_.receive_overhead, "processor of the receiver"});
    const double bytes = double(ends.bytes);
    if (is_eager(ends)) {
        items.push_back({"copy by the receiver", Picoseconds(ranks_.receive_copy_ps * bytes),
                         "out of a buffer of the library"});
        return;
    }
    items.push_back({"rendezvous overhead", ranks_.rendezvous_overhead, ""});
    if (ends.from != ends.to) return;
    const double per_byte = network_.message_memory.ps_per_byte();
    items.push_back({"copy by the receiver", Picoseconds(per_byte * bytes), "within the node"});
}

/// Adds the request of the sender and the answer of the receiver.
void CostModel::add_control(std::vector<CostItem>& items, const MessageEnds& ends) const {
    const std::string detail =
        text("request and answer of ", network_.control_size, " B before the data");
    Picoseconds time = 2 * (network_.control_latency + numa_latency());
    if (ends.from != ends.to) {
        time = flight(path_cost({ends.from, ends.to, network_.control_size})) +
               flight(path_cost({ends.to, ends.from, network_.control_size}));
    }
    items.push_back({"rendezvous", time, detail});
}

void CostModel::add_network(std::vector<CostItem>& items, const MessageEnds& ends) const {
    const MessageEnds part{ends.from, ends.to, largest_part(ends)};
    const PathCost route = path_cost(part);
    items.push_back({"injection", network_.injection.latency, "interface to switch"});
    items.push_back({"switches", route.switches,
                     text(route.hops + 1, " x ", double(network_.switch_latency) * 1e-3, " ns")});
    items.push_back({"wire", route.links, text(route.hops, " links")});
    const Bytes carried = part.bytes > 0 ? part.bytes : network_.control_size;
    items.push_back({"bytes", route.bytes,
                     text(carried, " B at ", rate_text(route.ps_per_byte), ": ", route.slowest)});
    items.push_back({"ejection", network_.ejection.latency, "switch to interface"});
}

void CostModel::add_memory(std::vector<CostItem>& items, const MessageEnds& ends) const {
    const bool is_copied =
        network_.message_memory.ps_per_byte() <= 0.0 || network_.node_model != sim::NodeModel::amm1;
    items.push_back({"memory", is_copied ? network_.memory.time(ends.bytes) : 0,
                     text(ends.bytes, " B at ", rate_text(network_.memory.ps_per_byte()))});
    items.push_back({"memory latency", network_.memory_latency, "within the node"});
    items.push_back({"NUMA latency", numa_latency(), "between domains"});
}

std::vector<CostItem> CostModel::items(const MessageEnds& ends) const {
    std::vector<CostItem> result;
    add_send(result, ends);
    if (!is_eager(ends)) add_control(result, ends);
    if (ends.from == ends.to) {
        add_memory(result, ends);
    } else {
        add_network(result, ends);
    }
    add_receive(result, ends);
    return result;
}

Task one_message(Comm& comm, Bytes bytes) {
    if (comm.rank() == 0) {
        co_await comm.send(1, ConstBuffer(bytes));
    } else {
        co_await comm.recv(0, Buffer(bytes));
    }
}

/// Returns the time of the message in a simulation of two ranks.
Picoseconds simulated(Sections sections, const MessageEnds& ends) {
    sections["placement"] = Settings(
        {{"rule", std::string("file")}, {"nodes", std::vector<std::int64_t>{ends.from, ends.to}}});
    return simulate(
               sections, [&](Comm& comm) { return one_message(comm, ends.bytes); }, 2)
        .run.time;
}

void check(const Sections& sections, const sim::Topology& topology, const MessageEnds& ends) {
    for (const sim::NodeId node : {ends.from, ends.to}) {
        if (node >= 0 && node < topology.nodes()) continue;
        throw ConfigError(text("node ", node, " is not in 0..", topology.nodes() - 1,
                               ", the nodes of the machine"));
    }
    if (ends.from == ends.to && given::node::ranks_per_node.of(section(sections, "node")) == 1) {
        throw ConfigError(text("node ", ends.from,
                               " has one rank: a message needs two nodes, or node.ranks_per_node "
                               "of at least 2"));
    }
}

}  // namespace

MessageCost message_cost(const Sections& sections, const MessageEnds& ends) {
    const CostModel model(sections);
    check(sections, model.topology(), ends);
    MessageCost result{model.items(ends), simulated(sections, ends), model.is_eager(ends)};
    const Picoseconds known =
        std::accumulate(result.items.begin(), result.items.end(), Picoseconds{0},
                        [](Picoseconds sum, const CostItem& item) { return sum + item.time; });
    const char* const why = model.is_striped(ends) ? "parts that share links, memory or buffers"
                            : model.has_fixed_routes()
                                ? "room in the buffers that comes back late"
                                : "packets that take turns on several routes, or detours";
    result.items.push_back({"waiting", result.time - known, why});
    std::erase_if(result.items, [](const CostItem& item) { return item.time == 0; });
    return result;
}

}  // namespace tradewind::simcomm
