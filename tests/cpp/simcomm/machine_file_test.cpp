/// Tests of machine files in base units.
#include "tradewind/simcomm/machine_file.hpp"

#include <fstream>
#include <string>

#include "support/folder.hpp"
#include "support/machine.hpp"
#include "testing.hpp"

using namespace support;

namespace {

const std::string small = R"(# a comment
title = "12 nodes # and no comment"
source = "test"

[topology]
name = "torus"
extents = [4, 3]
nodes_per_switch = 1

[routing]
name = "valiant"

[link]
bandwidth = "1e9 B/s"   # a rate
latency = "100000 ps"

[message]
overhead_send = "200000 ps"
eager_limit = "1024 B"

[node]
ranks_per_node = 1
model = "AMM2"
)";

std::string complaint(const std::string& content) {
    return message_of<ConfigError>([&] { (void)simcomm::read_machine_text(content, "m.toml"); });
}

std::string changed(const std::string& from, const std::string& to) {
    std::string content = small;
    return content.replace(content.find(from), from.size(), to);
}

}  // namespace

TEST_CASE("a machine file gives the settings that were written, in base units") {
    const Sections sections = simcomm::read_machine_text(small, "m.toml");
    CHECK_EQ(sections.at("topology").need<std::string>("name"), "torus");
    CHECK(sections.at("topology").need<Integers>("extents") == Integers({4, 3}));
    CHECK_EQ(sections.at("routing").need<std::string>("name"), "valiant");
    CHECK_EQ(sections.at("link").need<double>("bandwidth"), 1e9);
    CHECK_EQ(sections.at("link").need<std::int64_t>("latency"), 100'000);
    CHECK_EQ(sections.at("message").need<std::int64_t>("eager_limit"), 1024);
    CHECK_EQ(sections.at("node").need<std::string>("model"), "AMM2");
}

TEST_CASE("a run on a machine file is that on the same settings") {
    const Folder folder;
    const std::string path = folder.path() / "machine.toml";
    std::ofstream(path) << small;
    Sections same;
    same["topology"] = Settings({{"name", std::string("torus")}, {"extents", Integers({4, 3})}});
    same["routing"] = Settings({{"name", std::string("valiant")}});
    same["link"] = Settings({{"bandwidth", 1e9}, {"latency", std::int64_t{100'000}}});
    same["message"] =
        Settings({{"overhead_send", std::int64_t{200'000}}, {"eager_limit", std::int64_t{1024}}});
    same["node"] = Settings({{"model", std::string("AMM2")}});
    const Program program = [](Comm& comm) -> Task {
        const Rank next = (comm.rank() + 1) % comm.size();
        const Rank before = (comm.rank() + comm.size() - 1) % comm.size();
        co_await comm.exchange(next, ConstBuffer(50'000), before, Buffer(50'000));
    };
    const auto read = simcomm::simulate(simcomm::read_machine_file(path), program, 12);
    const auto made = simcomm::simulate(same, program, 12);
    CHECK_EQ(read.run.time, made.run.time);
    CHECK_EQ(read.run.hash, made.run.hash);
    CHECK(read.run.time > 0);
}

TEST_CASE("a topology's own kinds of links and its default routing are known") {
    const std::string content =
        "[topology]\nname = \"dragonfly_canonical\"\nrouters = 4\nglobal_links = 2\n[link]\n"
        "bandwidth = \"1e9 B/s\"\nlatency = \"5 ps\"\nglobal_latency = \"7 ps\"\n";
    const Sections sections = simcomm::read_machine_text(content, "m.toml");
    CHECK_EQ(sections.at("link").need<std::int64_t>("global_latency"), 7);
    CHECK(sections.at("routing").has("name"));
}

TEST_CASE("what cannot be read is refused with file, line, key and what is allowed") {
    const struct {
        const char* from;
        const char* to;
        const char* said;
    } cases[] = {
        {"\"1e9 B/s\"", "\"1 GB/s\"", "m.toml, line 14: bandwidth: \"1 GB/s\" is not a number"},
        {"\"1e9 B/s\"", "1e9", "`tradewind machine export` writes such files"},
        {"\"100000 ps\"", "\"1.5 ps\"", "whole number of ps"},
        {"\"100000 ps\"", "\"true ps\"", "whole number of ps"},
        {"latency =", "latenzy =", "[link] has no key latenzy; allowed: bandwidth, latency"},
        {"[message]", "[simulation]", "[simulation] is no section of a machine"},
        {"[message]", "[massage]", "[massage] is no section of a machine"},
        {"ranks_per_node = 1", "ranks_per_node", "line 22: \"ranks_per_node\" is neither"},
        {"ranks_per_node = 1", "ranks_per_node = one", "\"one\" is no TOML value"},
        {"name = \"torus\"", "", "[topology] has no name"},
        {"name = \"torus\"", "name = \"taurus\"", "taurus"},
        {"source =", "author =", "author: allowed before the sections"},
    };
    for (const auto& [from, to, said] : cases) {
        CAPTURE(from, to, complaint(changed(from, to)));
        CHECK(contains(complaint(changed(from, to)), said));
    }
    CHECK(contains(
        message_of<ConfigError>([] { (void)simcomm::read_machine_file("/nowhere/machine.toml"); }),
        "/nowhere/machine.toml: cannot be read"));
}
