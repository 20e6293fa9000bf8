/// The settings of a machine and of a simulation, but for those of topologies and routing rules.
///
/// A setting without a default follows from another one, which its meaning names, or is not used.
/// Each names the piece of the model in which it acts.
#pragma once

#include <span>

#include "tradewind/base/setting.hpp"
#include "tradewind/sim/network/parameters.hpp"
#include "tradewind/simcomm/placement.hpp"

namespace tradewind::simcomm {

/// The section of a machine or experiment file.
struct SectionEntry {
    std::string_view name;
    Schema settings;
};

/// Returns all sections whose settings do not depend on the topology.
[[nodiscard]] std::span<const SectionEntry> machine_sections();

/// The network that carries the messages.
enum class Model : std::uint8_t { packet, packet_unbounded, analytic };

namespace given {

inline constexpr double second = 1e12;
inline constexpr double largest_size = 1 << 30;

[[nodiscard]] constexpr WholeSetting duration(std::string_view key, std::string_view meaning,
                                              std::optional<std::int64_t> otherwise = {}) {
    return declare::duration(key, meaning, otherwise).within(0, second);
}
[[nodiscard]] constexpr WholeSetting size(std::string_view key, std::string_view meaning,
                                          std::optional<std::int64_t> otherwise = {}) {
    return declare::size(key, meaning, otherwise).within(0, largest_size);
}

namespace link {
inline constexpr auto bandwidth =
    declare::rate("bandwidth", "rate of a link")
        .required()
        .acting("output port of a switch: time of the bytes on a link");
inline constexpr auto latency = duration("latency", "latency of a link, cable included")
                                    .within(1, second)
                                    .required()
                                    .acting("wire: once for each link on the way");
inline constexpr const Declaration* all[] = {&bandwidth, &latency};
}  // namespace link

namespace fabric {
inline constexpr auto latency =
    duration("latency", "latency of a switch", 0).acting("once in each switch on the way");
inline constexpr auto buffer =
    size("buffer", "input buffer for each virtual channel or port", 65536)
        .within(1, largest_size)
        .acting("input of a switch: packets before it wait for room");
inline constexpr auto buffer_per =
    declare::one_of<bool>("buffer_per",
                          "whether a buffer is for a virtual channel or shared by those of a port",
                          {{"channel", false}, {"port", true}})
        .acting("input of a switch");
inline constexpr auto arbitration =
    declare::one_of<sim::Arbitration>("arbitration", "packet that an output port takes next",
                                      {{"round_robin", sim::Arbitration::round_robin},
                                       {"first_come", sim::Arbitration::first_come},
                                       {"oldest_first", sim::Arbitration::oldest_first},
                                       {"transit_first", sim::Arbitration::transit_first},
                                       {"weighted", sim::Arbitration::weighted}})
        .acting("output port of a switch for which several packets wait");
inline constexpr auto transit_weight =
    declare::whole("transit_weight", "turns of a packet in transit, if weighted", 1)
        .within(1, 10'000)
        .acting("output port with arbitration \"weighted\"");
inline constexpr auto credit_return =
    declare::one_of<sim::CreditReturn>(
        "credit_return", "end of a packet with which its buffer becomes free",
        {{"tail", sim::CreditReturn::tail}, {"head", sim::CreditReturn::head}})
        .acting("input of a switch: time at which the sender may send on");
inline constexpr auto port_sharing =
    declare::one_of<sim::PortSharing>(
        "port_sharing", "whether packets that arrive slowly let others pass between them",
        {{"interleaved", sim::PortSharing::interleaved},
         {"exclusive", sim::PortSharing::exclusive}})
        .acting("output port that is faster than its packets come in");
inline constexpr auto crossbar_bandwidth =
    declare::rate("crossbar_bandwidth", "rate of all that passes through a switch; none: no limit")
        .acting("inside a switch, with node.model \"AMM3\"");
inline constexpr const Declaration* all[] = {
    &latency,        &buffer,        &buffer_per,   &arbitration,
    &transit_weight, &credit_return, &port_sharing, &crossbar_bandwidth};
}  // namespace fabric

namespace nic {
inline constexpr auto per_node = declare::whole("per_node", "interfaces of a node", 1)
                                     .within(1, 64)
                                     .acting("node: its ranks share the interfaces");
inline constexpr auto injection_bandwidth =
    declare::rate("injection_bandwidth", "rate of an interface into the network", 10e9)
        .acting("interface: time of the bytes into the switch");
inline constexpr auto injection_latency =
    duration("injection_latency", "latency from an interface to its switch", 0)
        .acting("once, before the first switch");
inline constexpr auto ejection_bandwidth =
    declare::rate("ejection_bandwidth", "rate out of the network; none: that of injection")
        .acting("last switch: time of the bytes to the interface");
inline constexpr auto ejection_latency =
    duration("ejection_latency", "latency from a switch to the interface", 0)
        .acting("once, behind the last switch");
inline constexpr auto gap = duration("gap", "least time between messages of an interface (g)", 0)
                                .acting("interface, between the starts of two messages");
inline constexpr auto messages_in_turn =
    declare::whole("messages_in_turn", "messages whose packets an interface sends in turn", 1)
        .within(1, 1024)
        .acting("queue of an interface");
inline constexpr auto buffer =
    size("buffer", "buffer of the switch for packets of an interface", 65536)
        .within(1, largest_size)
        .acting("first switch: the interface waits for room in it");
inline constexpr auto affinity =
    declare::one_of<Affinity>(
        "affinity",
        "interface of a rank: the next one in turn, that of its block of the ranks of the node, "
        "all "
        "in turn, message by message, or all at once for the data of a rendezvous; none: cyclic",
        {{"cyclic", Affinity::cyclic},
         {"block", Affinity::block},
         {"message", Affinity::message},
         {"stripe", Affinity::stripe}})
        .without_default()
        .acting("node: interface that a message takes at both ends");
inline constexpr const Declaration* all[] = {&per_node,
                                             &affinity,
                                             &injection_bandwidth,
                                             &injection_latency,
                                             &ejection_bandwidth,
                                             &ejection_latency,
                                             &gap,
                                             &messages_in_turn,
                                             &buffer};
}  // namespace nic

namespace node {
inline constexpr auto model =
    declare::one_of<sim::NodeModel>("model", "contention for the memory of a node",
                                    {{"AMM1", sim::NodeModel::amm1},
                                     {"AMM2", sim::NodeModel::amm2},
                                     {"AMM3", sim::NodeModel::amm3}})
        .acting("memory of a node and crossbar of a switch");
inline constexpr auto ranks_per_node =
    declare::whole("ranks_per_node", "ranks on a node", 1)
        .within(1, 4096)
        .acting("placement; share of a rank in the memory when it computes");
inline constexpr auto memory_bandwidth =
    declare::rate("memory_bandwidth", "rate of the memory of a node", 100e9)
        .acting("injection, ejection, messages within a node, computation");
inline constexpr auto numa_domains =
    declare::whole(
        "numa_domains",
        "NUMA domains, each with an equal share of memory, ranks and interfaces; none: 1")
        .within(1, 64)
        .acting("memory of a node, with model \"AMM2\" or \"AMM3\"");
inline constexpr auto numa_latency =
    duration("numa_latency", "further latency between NUMA domains; none: 0")
        .acting("once for each message between NUMA domains of a node");
inline constexpr auto memory_latency =
    duration("memory_latency", "latency of a message between ranks of a node", 100'000)
        .acting("once for each message within a node");
inline constexpr auto flops = declare::flop_rate("flops", "rate at which a rank computes", 10e9)
                                  .acting("computation of a rank");
inline constexpr auto compute_spread =
    declare::real("compute_spread", "standard deviation of the time of a computation, relative", 0)
        .within(0, 0.28)
        .acting("computation of a rank");
inline constexpr auto compute_seed =
    declare::whole("compute_seed", "seed of these random variations", 1)
        .acting("computation of a rank");
inline constexpr auto eager_limit =
    size("eager_limit", "longest eager message within a node; none: all are eager")
        .acting("messages within a node: rendezvous or not");
inline constexpr auto message_bandwidth =
    declare::rate("message_bandwidth", "rate of a message within a node; none: that of the memory")
        .acting("messages within a node; the receiver copies long ones");
inline constexpr auto put_bandwidth =
    declare::rate("put_bandwidth",
                  "rate at which a rank copies a put into the memory of another one of its node; "
                  "none: puts are copied on their way, at message_bandwidth")
        .acting("rank that puts within a node: busy at the start");
inline constexpr auto control_latency =
    duration("control_latency", "latency of control messages within a node; none: memory_latency")
        .acting("rendezvous within a node, twice");
inline constexpr auto copy_bandwidth =
    declare::rate("copy_bandwidth", "rate of copies of a rank; none: they cost nothing")
        .acting("rank that packs, unpacks or copies blocks");
inline constexpr auto copy_overhead =
    duration("copy_overhead", "time for each block of a copy; none: 0")
        .acting("rank that packs, unpacks or copies blocks");
inline constexpr auto sum_bandwidth =
    declare::rate("sum_bandwidth", "rate of sums of a rank; none: they cost nothing")
        .acting("rank that adds vectors in a reduction");
inline constexpr auto cache =
    size("cache", "bytes up to which copies and sums are in the cache; none: no limit")
        .acting("rank: which of the two rates holds");
inline constexpr auto uncached_copy_bandwidth =
    declare::rate("uncached_copy_bandwidth",
                  "rate of copies beyond the cache; none: copy_bandwidth")
        .acting("rank that copies more than the cache holds");
inline constexpr auto uncached_sum_bandwidth =
    declare::rate("uncached_sum_bandwidth", "rate of sums beyond the cache; none: sum_bandwidth")
        .acting("rank that adds more than the cache holds");
inline constexpr const Declaration* all[] = {&model,
                                             &ranks_per_node,
                                             &memory_bandwidth,
                                             &numa_domains,
                                             &numa_latency,
                                             &memory_latency,
                                             &flops,
                                             &compute_spread,
                                             &compute_seed,
                                             &eager_limit,
                                             &message_bandwidth,
                                             &put_bandwidth,
                                             &control_latency,
                                             &copy_bandwidth,
                                             &copy_overhead,
                                             &sum_bandwidth,
                                             &cache,
                                             &uncached_copy_bandwidth,
                                             &uncached_sum_bandwidth};
}  // namespace node

namespace message {
inline constexpr auto overhead_send =
    duration("overhead_send", "time of a rank to send a message (o)", 250'000)
        .acting("rank that sends: busy at the start of each message");
inline constexpr auto overhead_receive =
    duration("overhead_receive", "time of a rank to receive a message (o)", 250'000)
        .acting("rank that receives: busy at the end of each message");
inline constexpr auto overhead_per_byte =
    declare::time_per_byte("overhead_per_byte", "time of a rank for each byte (O)", 0.0)
        .acting("rank that sends: busy at the start");
inline constexpr auto eager_limit =
    size("eager_limit", "longest message without a rendezvous (S)", 16384)
        .acting("messages between nodes: rendezvous or not");
inline constexpr auto control_size = size("control_size", "bytes of a control message", 64)
                                         .within(1, largest_size)
                                         .acting("request and answer of a rendezvous");
inline constexpr auto latency = duration("latency", "latency of the analytic network (L)", 0)
                                    .acting("wire, with simulation.network \"analytic\"");
inline constexpr auto gap_per_byte =
    declare::time_per_byte(
        "gap_per_byte", "time of the analytic network for each byte (G); 0: that of injection", 0.0)
        .acting("both interfaces, with simulation.network \"analytic\"");
inline constexpr auto copy_per_byte_send =
    declare::time_per_byte("copy_per_byte_send", "copy of the library when it sends; none: 0")
        .acting("rank that sends an eager message");
inline constexpr auto copy_per_byte_receive =
    declare::time_per_byte("copy_per_byte_receive", "copy of the library when it receives; none: 0")
        .acting("rank that receives an eager message");
inline constexpr auto overhead_rendezvous =
    duration("overhead_rendezvous", "further time of a rank for a rendezvous; none: 0")
        .acting("rank that receives by rendezvous");
inline constexpr auto overhead_synchronous =
    duration("overhead_synchronous", "further time for a synchronous send; none: 0")
        .acting("rank that sends in synchronous mode");
inline constexpr auto overhead_ready =
    duration("overhead_ready", "further time for a ready send; none: 0")
        .acting("rank that sends in ready mode");
inline constexpr auto ready_rendezvous =
    declare::truth(
        "ready_rendezvous",
        "whether ready sends of more than the eager limit take a rendezvous as others do", false)
        .acting("rank that sends in ready mode");
inline constexpr auto overhead_put =
    duration("overhead_put", "further time for a put; none: 0").acting("rank that puts");
inline constexpr auto progress =
    declare::one_of<bool>("progress",
                          "whether what waits for messages also goes on while its ranks compute",
                          {{"strong", false}, {"weak", true}})
        .acting("rendezvous between nodes, nonblocking collectives of recordings");
inline constexpr const Declaration* all[] = {
    &overhead_send,       &overhead_receive,     &overhead_per_byte,
    &eager_limit,         &control_size,         &latency,
    &gap_per_byte,        &copy_per_byte_send,   &copy_per_byte_receive,
    &overhead_rendezvous, &overhead_synchronous, &overhead_ready,
    &ready_rendezvous,    &overhead_put,         &progress};
}  // namespace message

namespace placement {
inline constexpr auto rule = declare::one_of<std::string_view>("rule", "how ranks lie on nodes",
                                                               {{"linear", "linear"},
                                                                {"block", "block"},
                                                                {"tiles", "tiles"},
                                                                {"random", "random"},
                                                                {"round_robin", "round_robin"},
                                                                {"file", "file"}})
                                 .acting("before the run: node of each rank");
inline constexpr auto seed = declare::whole("seed", "seed of the rule random", 1)
                                 .acting("before the run: order of the nodes");
inline constexpr auto processes =
    declare::whole_list("processes", "process grid [cx, cy] of tiles; none: that of the program", 2)
        .acting("before the run: rectangles of ranks");
inline constexpr const Declaration* all[] = {&rule, &seed, &processes};
}  // namespace placement

namespace simulation {
inline constexpr auto network =
    declare::one_of<Model>("network", "network that carries the messages",
                           {{"packet", Model::packet},
                            {"packet_unbounded", Model::packet_unbounded},
                            {"analytic", Model::analytic}})
        .acting("all messages");
inline constexpr auto packet_size =
    size("packet_size", "bytes of a packet, or \"auto\": trains of packets", 0)
        .within(1, largest_size)
        .zero_as("auto")
        .acting("interface: cuts messages into packets");
inline constexpr auto error_target =
    declare::real("error_target", "relative error that trains may cause", 0.05)
        .within(1e-4, 1.0)
        .acting("interface: length of trains, with packet_size \"auto\"");
inline constexpr auto seed = declare::whole("seed", "seed of random routes", 1)
                                 .acting("routing rules that choose at random");
inline constexpr auto threads = declare::whole("threads", "threads of a simulation; none: 1")
                                    .within(1, 256)
                                    .acting("engine; the results do not depend on it");
inline constexpr auto matrix_bins =
    declare::whole("matrix_bins", "rows of the matrix of traffic between ranks; 0: none", 0)
        .within(0, 4096)
        .acting("record of messages; the times do not depend on it");
inline constexpr auto timeline = declare::truth("timeline", "keep what each rank does when", false)
                                     .acting("record of ranks; the times do not depend on it");
inline constexpr auto max_timeline_records =
    declare::whole("max_timeline_records", "most records of the time line", 1'000'000)
        .within(1, 100'000'000)
        .acting("record of ranks; the times do not depend on it");
inline constexpr auto packet_waits =
    declare::truth("packet_waits", "count how long packets wait in switches", false)
        .acting("record of switches; the times do not depend on it");
inline constexpr auto link_details =
    declare::truth("link_details", "keep the load of every link", false)
        .acting("record of links; the times do not depend on it");
inline constexpr auto critical_path =
    declare::truth("critical_path", "keep what the end of the run waited for; one thread", false)
        .acting("record of ranks; the times do not depend on it");
inline constexpr auto link_map_bins =
    declare::whole("link_map_bins", "rows of maps of the loads of links; none: no maps")
        .within(1, 128)
        .acting("record of links; the times do not depend on it");
inline constexpr const Declaration* all[] = {
    &network,  &packet_size,          &error_target, &seed,         &threads,       &matrix_bins,
    &timeline, &max_timeline_records, &packet_waits, &link_details, &critical_path, &link_map_bins};
}  // namespace simulation

}  // namespace given

}  // namespace tradewind::simcomm
