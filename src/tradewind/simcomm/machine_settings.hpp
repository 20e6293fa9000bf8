/// The settings of a machine and of a simulation, but for those of topologies and routing rules.
///
/// A setting without a default follows from another one, which its meaning names, or is not used.
#pragma once

#include <span>

#include "tradewind/base/setting.hpp"
#include "tradewind/sim/network/parameters.hpp"

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
inline constexpr auto bandwidth = declare::rate("bandwidth", "rate of a link").required();
inline constexpr auto latency =
    duration("latency", "latency of a link, cable included").within(1, second).required();
inline constexpr const Declaration* all[] = {&bandwidth, &latency};
}  // namespace link

namespace fabric {
inline constexpr auto latency = duration("latency", "latency of a switch", 0);
inline constexpr auto buffer =
    size("buffer", "input buffer for each virtual channel or port", 65536).within(1, largest_size);
inline constexpr auto buffer_per = declare::one_of<bool>(
    "buffer_per", "whether a buffer is for a virtual channel or shared by those of a port",
    {{"channel", false}, {"port", true}});
inline constexpr auto arbitration =
    declare::one_of<sim::Arbitration>("arbitration", "packet that an output port takes next",
                                      {{"round_robin", sim::Arbitration::round_robin},
                                       {"first_come", sim::Arbitration::first_come},
                                       {"oldest_first", sim::Arbitration::oldest_first},
                                       {"transit_first", sim::Arbitration::transit_first},
                                       {"weighted", sim::Arbitration::weighted}});
inline constexpr auto transit_weight =
    declare::whole("transit_weight", "turns of a packet in transit, if weighted", 1)
        .within(1, 10'000);
inline constexpr auto credit_return = declare::one_of<sim::CreditReturn>(
    "credit_return", "end of a packet with which its buffer becomes free",
    {{"tail", sim::CreditReturn::tail}, {"head", sim::CreditReturn::head}});
inline constexpr auto port_sharing = declare::one_of<sim::PortSharing>(
    "port_sharing", "whether packets that arrive slowly let others pass between them",
    {{"interleaved", sim::PortSharing::interleaved}, {"exclusive", sim::PortSharing::exclusive}});
inline constexpr auto crossbar_bandwidth =
    declare::rate("crossbar_bandwidth", "rate of an input into the crossbar; none: no limit");
inline constexpr const Declaration* all[] = {
    &latency,        &buffer,        &buffer_per,   &arbitration,
    &transit_weight, &credit_return, &port_sharing, &crossbar_bandwidth};
}  // namespace fabric

namespace nic {
inline constexpr auto per_node =
    declare::whole("per_node", "interfaces of a node", 1).within(1, 64);
inline constexpr auto injection_bandwidth =
    declare::rate("injection_bandwidth", "rate of an interface into the network", 10e9);
inline constexpr auto injection_latency =
    duration("injection_latency", "latency from an interface to its switch", 0);
inline constexpr auto ejection_bandwidth =
    declare::rate("ejection_bandwidth", "rate out of the network; none: that of injection");
inline constexpr auto ejection_latency =
    duration("ejection_latency", "latency from a switch to the interface", 0);
inline constexpr auto gap = duration("gap", "least time between messages of an interface (g)", 0);
inline constexpr auto messages_in_turn =
    declare::whole("messages_in_turn", "messages whose packets an interface sends in turn", 1)
        .within(1, 1024);
inline constexpr auto buffer =
    size("buffer", "buffer of the switch for packets of an interface", 65536)
        .within(1, largest_size);
inline constexpr const Declaration* all[] = {&per_node,          &injection_bandwidth,
                                             &injection_latency, &ejection_bandwidth,
                                             &ejection_latency,  &gap,
                                             &messages_in_turn,  &buffer};
}  // namespace nic

namespace node {
inline constexpr auto model =
    declare::one_of<sim::NodeModel>("model", "contention for the memory of a node",
                                    {{"AMM1", sim::NodeModel::amm1},
                                     {"AMM2", sim::NodeModel::amm2},
                                     {"AMM3", sim::NodeModel::amm3}});
inline constexpr auto ranks_per_node =
    declare::whole("ranks_per_node", "ranks on a node", 1).within(1, 4096);
inline constexpr auto memory_bandwidth =
    declare::rate("memory_bandwidth", "rate of the memory of a node", 100e9);
inline constexpr auto memory_latency =
    duration("memory_latency", "latency of a message between ranks of a node", 100'000);
inline constexpr auto flops = declare::flop_rate("flops", "rate at which a rank computes", 10e9);
inline constexpr auto compute_spread =
    declare::real("compute_spread", "standard deviation of the time of a computation, relative", 0)
        .within(0, 0.28);
inline constexpr auto compute_seed =
    declare::whole("compute_seed", "seed of these random variations", 1);
inline constexpr auto eager_limit =
    size("eager_limit", "longest eager message within a node; none: all are eager");
inline constexpr auto message_bandwidth =
    declare::rate("message_bandwidth", "rate of a message within a node; none: that of the memory");
inline constexpr auto control_latency =
    duration("control_latency", "latency of control messages within a node; none: memory_latency");
inline constexpr auto copy_bandwidth =
    declare::rate("copy_bandwidth", "rate of copies of a rank; none: they cost nothing");
inline constexpr auto copy_overhead =
    duration("copy_overhead", "time for each block of a copy; none: 0");
inline constexpr auto sum_bandwidth =
    declare::rate("sum_bandwidth", "rate of sums of a rank; none: they cost nothing");
inline constexpr auto cache = size("cache", "bytes up to which copies and sums are in the cache");
inline constexpr auto uncached_copy_bandwidth = declare::rate(
    "uncached_copy_bandwidth", "rate of copies beyond the cache; none: copy_bandwidth");
inline constexpr auto uncached_sum_bandwidth =
    declare::rate("uncached_sum_bandwidth", "rate of sums beyond the cache; none: sum_bandwidth");
inline constexpr const Declaration* all[] = {&model,
                                             &ranks_per_node,
                                             &memory_bandwidth,
                                             &memory_latency,
                                             &flops,
                                             &compute_spread,
                                             &compute_seed,
                                             &eager_limit,
                                             &message_bandwidth,
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
    duration("overhead_send", "time of a rank to send a message (o)", 250'000);
inline constexpr auto overhead_receive =
    duration("overhead_receive", "time of a rank to receive a message (o)", 250'000);
inline constexpr auto overhead_per_byte =
    declare::time_per_byte("overhead_per_byte", "time of a rank for each byte (O)", 0.0);
inline constexpr auto eager_limit =
    size("eager_limit", "longest message without a rendezvous (S)", 16384);
inline constexpr auto control_size =
    size("control_size", "bytes of a control message", 64).within(1, largest_size);
inline constexpr auto latency = duration("latency", "latency of the analytic network (L)", 0);
inline constexpr auto gap_per_byte = declare::time_per_byte(
    "gap_per_byte", "time of the analytic network for each byte (G); 0: that of injection", 0.0);
inline constexpr auto copy_per_byte_send =
    declare::time_per_byte("copy_per_byte_send", "copy of the library when it sends; none: 0");
inline constexpr auto copy_per_byte_receive = declare::time_per_byte(
    "copy_per_byte_receive", "copy of the library when it receives; none: 0");
inline constexpr auto overhead_rendezvous =
    duration("overhead_rendezvous", "further time of a rank for a rendezvous; none: 0");
inline constexpr auto overhead_synchronous =
    duration("overhead_synchronous", "further time for a synchronous send; none: 0");
inline constexpr auto overhead_ready =
    duration("overhead_ready", "further time for a ready send; none: 0");
inline constexpr auto overhead_put = duration("overhead_put", "further time for a put; none: 0");
inline constexpr auto progress = declare::one_of<bool>(
    "progress", "whether a rendezvous between nodes also goes on while its ranks compute",
    {{"strong", false}, {"weak", true}});
inline constexpr const Declaration* all[] = {&overhead_send,         &overhead_receive,
                                             &overhead_per_byte,     &eager_limit,
                                             &control_size,          &latency,
                                             &gap_per_byte,          &copy_per_byte_send,
                                             &copy_per_byte_receive, &overhead_rendezvous,
                                             &overhead_synchronous,  &overhead_ready,
                                             &overhead_put,          &progress};
}  // namespace message

namespace placement {
inline constexpr auto rule = declare::one_of<std::string_view>("rule", "how ranks lie on nodes",
                                                               {{"linear", "linear"},
                                                                {"block", "block"},
                                                                {"round_robin", "round_robin"},
                                                                {"random", "random"},
                                                                {"tiles", "tiles"},
                                                                {"file", "file"}});
inline constexpr auto seed = declare::whole("seed", "seed of the rule random", 1);
inline constexpr auto processes = declare::whole_list(
    "processes", "process grid [cx, cy] of tiles; none: that of the program", 2);
inline constexpr const Declaration* all[] = {&rule, &seed, &processes};
}  // namespace placement

namespace simulation {
inline constexpr auto network =
    declare::one_of<Model>("network", "network that carries the messages",
                           {{"packet", Model::packet},
                            {"packet_unbounded", Model::packet_unbounded},
                            {"analytic", Model::analytic}});
inline constexpr auto packet_size =
    size("packet_size", "bytes of a packet, or \"auto\": trains of packets", 0)
        .within(1, largest_size)
        .zero_as("auto");
inline constexpr auto error_target =
    declare::real("error_target", "relative error that trains may cause", 0.05).within(1e-4, 1.0);
inline constexpr auto seed = declare::whole("seed", "seed of random routes", 1);
inline constexpr auto threads = declare::whole("threads", "threads of a simulation").within(1, 256);
inline constexpr auto matrix_bins =
    declare::whole("matrix_bins", "rows of the matrix of traffic between ranks; 0: none", 0)
        .within(0, 4096);
inline constexpr auto timeline = declare::truth("timeline", "keep what each rank does when", false);
inline constexpr auto max_timeline_records =
    declare::whole("max_timeline_records", "most records of the time line", 1'000'000)
        .within(1, 100'000'000);
inline constexpr auto packet_waits =
    declare::truth("packet_waits", "count how long packets wait in switches", false);
inline constexpr auto link_details =
    declare::truth("link_details", "keep the load of every link", false);
inline constexpr auto critical_path =
    declare::truth("critical_path", "keep what the end of the run waited for; one thread", false);
inline constexpr auto link_map_bins =
    declare::whole("link_map_bins", "rows of maps of the loads of links").within(1, 128);
inline constexpr const Declaration* all[] = {
    &network,  &packet_size,          &error_target, &seed,         &threads,       &matrix_bins,
    &timeline, &max_timeline_records, &packet_waits, &link_details, &critical_path, &link_map_bins};
}  // namespace simulation

}  // namespace given

}  // namespace tradewind::simcomm
