/// Machines for tests of simulated ranks, with round numbers, so that times can be calculated by
/// hand.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "support/messages.hpp"
#include "tradewind/simcomm/assemble.hpp"

namespace support {

using namespace tradewind;
using simcomm::Sections;
using Integers = std::vector<std::int64_t>;

/// Returns a machine with 1000 ps per byte on every link, packets of 256 bytes, an eager limit of
/// 1024 bytes, and overheads of 200 ns to send and 300 ns to receive.
inline Sections machine(const std::string& topology, Settings shape,
                        const std::string& rule = "minimal") {
    using Whole = std::int64_t;
    shape.set("name", topology);
    Sections sections;
    sections["topology"] = std::move(shape);
    sections["routing"] = Settings({{"name", rule}});
    sections["link"] = Settings({{"bandwidth", 1e9}, {"latency", Whole{100'000}}});
    sections["switch"] = Settings({{"latency", Whole{20'000}},
                                   {"buffer", Whole{4096}},
                                   {"arbitration", std::string("first_come")}});
    sections["nic"] = Settings({{"injection_bandwidth", 1e9},
                                {"injection_latency", Whole{50'000}},
                                {"ejection_latency", Whole{50'000}},
                                {"buffer", Whole{4096}}});
    sections["node"] =
        Settings({{"memory_bandwidth", 1e10}, {"memory_latency", Whole{30'000}}, {"flops", 1e9}});
    sections["message"] = Settings({{"eager_limit", Whole{1024}},
                                    {"overhead_send", Whole{200'000}},
                                    {"overhead_receive", Whole{300'000}}});
    sections["simulation"] =
        Settings({{"network", std::string("packet")}, {"packet_size", Whole{256}}});
    return sections;
}

inline Sections star_machine(std::int64_t nodes) {
    return machine("star", Settings({{"nodes", nodes}}));
}

inline Sections torus_machine(Integers extents, std::int64_t nodes_per_switch = 1) {
    return machine("torus", Settings({{"extents", std::move(extents)},
                                      {"nodes_per_switch", nodes_per_switch}}));
}

/// Returns a LogGOPS machine with round numbers: o = 1500 ns, L = 2500 ns, g = 1000 ns, G = 6 ns, S
/// = 65535 bytes.
inline Sections loggops_machine() {
    using Whole = std::int64_t;
    Sections sections = torus_machine({4});
    sections["simulation"].set("network", std::string("analytic"));
    sections["nic"].set("gap", Whole{1'000'000});
    sections["message"] = Settings({{"latency", Whole{2'500'000}},
                                    {"gap_per_byte", 6000.0},
                                    {"overhead_send", Whole{1'500'000}},
                                    {"overhead_receive", Whole{1'500'000}},
                                    {"eager_limit", Whole{65535}}});
    return sections;
}

inline bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

/// Returns `count` bytes that depend only on `key`.
inline std::vector<std::byte> pattern(std::size_t count, std::uint64_t key) {
    std::vector<std::byte> bytes(count);
    for (std::size_t i = 0; i < count; ++i) bytes[i] = std::byte(key * 37 + i);
    return bytes;
}

inline ConstBuffer view(const std::vector<std::byte>& bytes) {
    return {bytes.data(), Bytes(bytes.size())};
}
inline Buffer view(std::vector<std::byte>& bytes) {
    return {bytes.data(), Bytes(bytes.size())};
}

}  // namespace support
