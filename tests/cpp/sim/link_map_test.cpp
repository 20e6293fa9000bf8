/// Maps of link loads: every link has a place in the panel of its kind, and loads are summed in
/// cells.
#include "tradewind/sim/observe/link_map.hpp"

#include <map>
#include <numeric>

#include "network_cases.hpp"
#include "support/post.hpp"
#include "testing.hpp"

using namespace support;

namespace {

template <class T>
T sum(const std::vector<T>& values) {
    return std::accumulate(values.begin(), values.end(), T{});
}

/// Returns one message from every interface to every third interface.
std::vector<Mail> crowd(const Wire& wire) {
    std::vector<Mail> mails;
    for (std::uint32_t from = 0; from < wire.nics(); ++from) {
        for (std::uint32_t to = from % 3; to < wire.nics(); to += 3) {
            if (to != from) mails.push_back({from, to, 3000, 0});
        }
    }
    return mails;
}

struct Totals {
    std::int64_t links = 0;
    Bytes bytes = 0;
    double busiest = 0.0;
};

Totals totals_of(const std::vector<LinkMapPanel>& panels, bool of_interfaces) {
    Totals totals;
    for (const auto& map : panels) {
        const bool is_interface = map.panel.name == "ejection" || map.panel.name == "injection";
        if (is_interface != of_interfaces) continue;
        totals.links += sum(map.links);
        totals.bytes += sum(map.bytes);
        totals.busiest = std::max(totals.busiest, *std::ranges::max_element(map.utilisation_max));
    }
    return totals;
}

}  // namespace

TEST_CASE("every link has a place inside a panel") {
    for (const auto& test : network_cases::all_cases()) {
        const auto topology = test.make();
        const auto panels = topology->link_panels();
        for (SwitchId here = 0; here < topology->switches(); ++here) {
            for (PortId port = 0; port < topology->radix(); ++port) {
                if (topology->neighbour(here, port).to == no_switch) continue;
                CAPTURE(test.topology, test.label, here, port);
                const LinkPlace place = topology->link_place(here, port);
                CHECK(place.panel < panels.size());
                if (place.panel >= panels.size()) continue;
                for (std::size_t axis = 0; axis < 3; ++axis) {
                    CHECK(place.at[axis] >= 0);
                    CHECK(place.at[axis] < panels[place.panel].extents[axis]);
                }
            }
        }
    }
}

TEST_CASE("a place of a torus or a fat tree holds one link") {
    for (const auto& test : network_cases::all_cases()) {
        if (test.topology != "torus" && test.topology != "fat_tree" && test.topology != "xgft") {
            continue;
        }
        const auto topology = test.make();
        std::map<std::pair<std::size_t, std::array<std::int64_t, 3>>, int> seen;
        for (SwitchId here = 0; here < topology->switches(); ++here) {
            for (PortId port = 0; port < topology->radix(); ++port) {
                if (topology->neighbour(here, port).to == no_switch) continue;
                CAPTURE(test.topology, test.label, here, port);
                const LinkPlace place = topology->link_place(here, port);
                CHECK_EQ(++seen[std::pair(place.panel, place.at)], 1);
            }
        }
    }
}

TEST_CASE("maps of any number of cells hold what the links carried") {
    for (const auto& test : network_cases::all_cases()) {
        for (const std::int32_t bins : {1, 2, 128}) {
            if (is_sanitized && bins != 2) continue;
            CAPTURE(test.topology, test.label, bins);
            Wire wire(test.make(), "minimal");
            wire.link_map_bins = bins;
            auto mails = crowd(wire);
            if (mails.empty()) continue;
            wire.run(mails);
            const auto& report = wire.report;
            const Totals between = totals_of(report.link_map, false);
            std::int64_t links = 0;
            Bytes bytes = 0;
            for (std::size_t i = 0; i + 2 < report.links.size(); ++i) {
                links += report.links[i].links;
                bytes += report.links[i].bytes;
            }
            CHECK_EQ(between.links, links);
            CHECK_EQ(between.bytes, bytes);
            CHECK_EQ(between.busiest, report.utilisation_max);
            const Totals ends = totals_of(report.link_map, true);
            CHECK_EQ(ends.links, 2 * std::int64_t(wire.nics()));
            CHECK_EQ(ends.bytes, 2 * Bytes(mails.size()) * 3000);
        }
    }
}

TEST_CASE("a single way through a torus shows as a row of its map") {
    Wire wire("torus", torus({4, 3, 2}));
    wire.link_map_bins = 8;
    std::vector<Mail> mails{{4, 6, 5000, 0}};
    wire.run(mails);
    const auto& panels = wire.report.link_map;
    const auto found =
        std::ranges::find(panels, "x_up", [](const LinkMapPanel& map) { return map.panel.name; });
    CHECK(found != panels.end());
    if (found == panels.end()) return;
    CHECK_EQ(found->cells[0], 2);
    CHECK_EQ(found->cells[1], 3);
    CHECK_EQ(found->cells[2], 4);
    std::vector<Bytes> expected(24);
    expected[4] = expected[5] = 5000;  // layer z = 0, row y = 1, columns x = 0 and 1
    CHECK(found->bytes == expected);
    CHECK_EQ(sum(found->links), 24);
}
