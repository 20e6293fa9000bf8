/// Measurements on simulated ranks, whose times can be calculated by hand.
#include <algorithm>
#include <set>

#include "../comm/forwarding_comm.hpp"
#include "support/machine.hpp"
#include "testing.hpp"
#include "tradewind/comm/allgather/allgather.hpp"
#include "tradewind/comm/allreduce/allreduce.hpp"
#include "tradewind/comm/alltoallv/alltoallv.hpp"
#include "tradewind/comm/barrier/barrier.hpp"
#include "tradewind/comm/bcast/bcast.hpp"
#include "tradewind/comm/mesh/mesh_algorithms.hpp"
#include "tradewind/measure/measurement.hpp"
#include "tradewind/measure/timing.hpp"

using namespace support;
using measure::Native;
using measure::Row;
using measure::Rows;

namespace {

// The parameters of loggops_machine.
constexpr double o = 1500e-9;
constexpr double L = 2500e-9;
constexpr double G = 6e-9;

Rows rows_of(std::string_view name, Settings settings, Rank ranks,
             std::span<const Native> natives = {}) {
    if (!settings.has("repetitions")) settings.set("repetitions", std::int64_t{3});
    settings.set("warm_up", std::int64_t{1});
    Rows rows;
    const Program program = measure::measurement(name).make(settings, ranks, {natives}, rows);
    (void)simcomm::simulate(loggops_machine(), program, ranks);
    return rows;
}

const Row& row(const Rows& rows, const std::string& name, Bytes bytes) {
    const auto found = std::ranges::find_if(
        rows, [&](const Row& one) { return one.name == name && one.bytes == bytes; });
    CHECK(found != rows.end());
    return *found;
}

bool is_about(double value, double expected) {
    return value > 0.98 * expected && value < 1.02 * expected;
}

}  // namespace

TEST_CASE("a ping-pong takes what LogGOPS says, for every kind of send") {
    const Bytes small = 1000;
    const Bytes large = 100'000;
    const Rows rows = rows_of("pingpong", Settings({{"sizes", Integers{small, large}}}), 3);
    CHECK_EQ(rows.size(), 8U);
    const double eager = 2 * o + L + double(small - 1) * G;
    for (const char* kind : {"standard", "ready"}) {
        CAPTURE(kind);
        for (const double time : row(rows, kind, small).seconds) CHECK(is_about(time, eager));
    }
    const double handshake = 2 * (L + 63 * G);
    const double rendezvous = 2 * o + L + double(large - 1) * G + handshake;
    CHECK(is_about(row(rows, "standard", large).seconds[1], rendezvous));
    CHECK(is_about(row(rows, "synchronous", small).seconds[1], eager + handshake));
    // A put needs no receive, hence has no overhead of one.
    CHECK(is_about(row(rows, "put", small).seconds[1], eager - o));
    for (const Row& one : rows) CHECK_EQ(one.seconds.size(), 3U);
}

TEST_CASE("a swap takes what LogGOPS says: once a message unordered, twice ordered") {
    const Bytes bytes = 1000;
    const double message = 2 * o + L + double(bytes - 1) * G;
    const double put = message - o;
    Settings settings({{"sizes", Integers{bytes}}});
    const Rows messages = rows_of("swap", settings, 3);
    CHECK_EQ(messages.size(), 14U);
    for (const char* name : {"(0,1)", "(0,2)", "(0,3)", "(0,6)"}) {
        CAPTURE(name);
        CHECK(is_about(row(messages, name, bytes).seconds[2], message));
    }
    for (const char* name : {"(1,0)", "(1,1)", "(1,2)", "(1,3)"}) {
        CAPTURE(name);
        CHECK(is_about(row(messages, name, bytes).seconds[2], 2 * message));
    }
    settings.set("transport", std::string("puts"));
    const Rows puts = rows_of("swap", settings, 3);
    CHECK_EQ(puts.size(), 10U);
    CHECK(is_about(row(puts, "(0,1)", bytes).seconds[2], put));
    CHECK(is_about(row(puts, "(1,1)", bytes).seconds[2], 2 * put));
    // The go-ahead is sent first: only a header of 64 bytes.
    CHECK(is_about(row(puts, "(0,4)", bytes).seconds[2], put + o + L + 63 * G));
}

TEST_CASE("several swaps that belong together overlap under (2,x), not under (0,x)") {
    const Bytes bytes = 100;
    const Settings settings({{"sizes", Integers{bytes}}, {"swaps", std::int64_t{8}}});
    const Rows rows = rows_of("swap", settings, 2);
    CHECK_EQ(rows.size(), 26U);
    const double one = 2 * o + L + double(bytes - 1) * G;
    CHECK(is_about(row(rows, "(0,3)", bytes).seconds[0], 8 * one));
    // The latency counts once; the processor sends and receives eight messages.
    CHECK(row(rows, "(2,3)", bytes).seconds[0] < 16 * o + L + 8 * double(bytes) * G + o);
}

TEST_CASE("overheads of sends and receives come out alone, the gap between messages too") {
    const Bytes small = 1000;
    const Bytes large = 100'000;
    const Rows rows = rows_of("overhead", Settings({{"sizes", Integers{small, large}}}), 3);
    CHECK_EQ(rows.size(), 6U);
    for (const char* call : {"send", "receive"}) {
        CAPTURE(call);
        CHECK(is_about(row(rows, call, small).seconds[1], o));
    }
    CHECK(is_about(row(rows, "send", large).seconds[1], o));
    // The announcement has arrived; the answer and the data still have to travel.
    const double late = o + 2 * L + (63 + double(large - 1)) * G;
    CHECK(is_about(row(rows, "receive", large).seconds[1], late));
    // Each message occupies the interface for g + (s - 1) G, which is more than o; the answer is
    // added.
    const double between = 1000e-9 + double(small - 1) * G;
    CHECK(row(rows, "gap", small).seconds[1] > between);
    CHECK(row(rows, "gap", small).seconds[1] < 1.05 * between);
}

TEST_CASE("kernels take the time of their operations, the stream that of its bytes") {
    bool called = false;
    const measure::MakeKernels make = [&] {
        called = true;
        return std::vector<measure::Kernel>{{"work", 1e6, 0, [] {}}};
    };
    Rows rows;
    const Settings settings(
        {{"repetitions", std::int64_t{2}}, {"warm_up", std::int64_t{0}}, {"payload", false}});
    Sections sections = loggops_machine();
    sections["node"] = Settings({{"flops", 1e9}, {"memory_bandwidth", 1e9}});
    (void)simcomm::simulate(sections,
                            measure::measurement("kernels").make(settings, 2, {{}, make}, rows), 2);
    CHECK(called);
    CHECK_EQ(rows.size(), 2U + 4U * 6U);
    CHECK(is_about(row(rows, "work", 0).seconds[0], 1e-3));
    const Row& stream = rows[1];
    CHECK_EQ(stream.name, std::string("stream"));
    CHECK(is_about(stream.seconds[0], stream.values.at("memory_bytes") / 1e9));
}

TEST_CASE("copies and sums between messages take the time of the machine's rates") {
    for (const bool payload : {false, true}) {
        CAPTURE(payload);
        Rows rows;
        const Settings settings(
            {{"repetitions", std::int64_t{2}}, {"warm_up", std::int64_t{0}}, {"payload", payload}});
        Sections sections = loggops_machine();
        sections["node"] = Settings({{"copy_bandwidth", 4e9},
                                     {"sum_bandwidth", 2e9},
                                     {"copy_overhead", std::int64_t{1000}},
                                     {"cache", std::int64_t{1 << 20}},
                                     {"uncached_sum_bandwidth", 1e9}});
        (void)simcomm::simulate(sections,
                                measure::measurement("kernels").make(settings, 3, {}, rows), 3);
        const double small = 4096;
        const double large = 4 << 20;
        CHECK(is_about(row(rows, "sum", 4096).seconds[1], small / 2e9));
        CHECK(is_about(row(rows, "sum", 4 << 20).seconds[1], large / 1e9));
        CHECK(is_about(row(rows, "copy", 4096).seconds[1], small / 4e9 + 1e-9));
        CHECK(is_about(row(rows, "copy_sent", 4 << 20).seconds[1], large / 4e9 + 1e-9));
        CHECK(is_about(row(rows, "copy_rows", 4096).seconds[1], small / 4e9 + 128e-9));
    }
}

TEST_CASE("collectives measures every algorithm of every operation") {
    const auto count = [](const char* operation) {
        const Settings settings({{"operation", std::string(operation)},
                                 {"sizes", Integers{8, 100}},
                                 {"payload", operation[0] == 'b'}});
        const Rows rows = rows_of("collectives", settings, 4);
        std::set<std::string> names;
        for (const Row& one : rows) {
            CAPTURE(operation, one.name, one.bytes);
            CHECK(std::ranges::all_of(one.seconds, [](double time) { return time > 2 * o; }));
            names.insert(one.name);
        }
        const bool sized = std::string(operation) != "barrier";
        CHECK_EQ(rows.size(), (sized ? 2 : 1) * names.size());
        return names.size();
    };
    CHECK_EQ(count("alltoallv"), alltoallv_algorithms().size());
    CHECK_EQ(count("allreduce"), allreduce_algorithms().size());
    CHECK_EQ(count("allgather"), allgather_algorithms().size());
    CHECK_EQ(count("bcast"), bcast_algorithms().size());
    CHECK_EQ(count("barrier"), barrier_algorithms().size());
}

constexpr Picoseconds one_second = 1'000'000'000'000;

/// Ranks whose clocks are seconds apart.
class ShiftedComm : public ForwardingComm {
public:
    using ForwardingComm::ForwardingComm;
    [[nodiscard]] Picoseconds now() const noexcept override {
        return ForwardingComm::now() + rank() * one_second;
    }
};

Task add_one(Comm& comm) {
    double value = 1.0;
    const Allreduce vector{Buffer(std::span(&value, 1)), sum<double>()};
    co_await allreduce_algorithm("recursive_doubling").run(comm, vector, {});
}

/// Adds one, with rank 1 late, so that the others wait for it.
Task add_one_late(Comm& comm) {
    if (comm.rank() == 1) co_await comm.compute({50'000.0, 0});
    co_await add_one(comm);
}

Task time_shifted(Comm& inner, std::vector<double>& seconds, std::vector<double>& late) {
    ShiftedComm comm(inner);
    Picoseconds offset = 0;
    co_await measure::clock_offset(comm, offset);
    CHECK_EQ(offset, -comm.rank() * one_second);
    std::vector<double> own;
    co_await measure::time_collectively(comm, add_one, {1, 3}, true, own);
    if (comm.rank() == 2) seconds = own;
    co_await measure::time_collectively(comm, add_one_late, {1, 3}, comm.rank() != 1, own);
    if (comm.rank() == 2) late = own;
}

TEST_CASE("clocks that differ do not change how long an operation of all ranks takes") {
    std::vector<double> seconds;
    std::vector<double> late;
    (void)simcomm::simulate(
        loggops_machine(), [&](Comm& comm) { return time_shifted(comm, seconds, late); }, 4);
    const double stage = 2 * o + L + 7 * G;
    CHECK_EQ(seconds.size(), 3U);
    for (const double time : seconds) CHECK(is_about(time, 2 * stage));
    // At 1e9 operations per second; rank 1 may leave the barrier one message after the ranks that
    // count.
    for (const double time : late) {
        CHECK(time > 50e-6 + 1.9 * stage);
        CHECK(time < 50e-6 + 3 * stage);
    }
}

Task compute_bytes(Comm& comm, Bytes bytes, ConstBuffer, Buffer) {
    co_await comm.compute({double(bytes), 0});
}

TEST_CASE("the library's own collectives are measured beside the others") {
    const Native silent{"native", "allreduce", compute_bytes};
    const Native other{"native", "bcast", silent.run};
    const Settings settings({{"operation", std::string("allreduce")},
                             {"algorithm", std::string("native")},
                             {"sizes", Integers{8, 80'000}}});
    const std::vector<Native> natives{silent, other};
    const Rows rows = rows_of("collectives", settings, 2, natives);
    CHECK_EQ(rows.size(), 2U);
    // 1e9 operations per second.
    CHECK(is_about(row(rows, "native", 80'000).seconds[0], 80e-6));
}

TEST_CASE("neighbours are measured by every algorithm, and what takes part in it natively beside") {
    const Native idle{"native", "neighbor", nullptr, [](Comm& comm, const NeighborGraph& graph) {
                          const Rank vertex = comm.size() - 1 - comm.rank();
                          CHECK_EQ(graph(vertex).destinations.size(), 3U);
                          return measure::ConnectedNative{
                              vertex, [](Comm& on, const NeighborExchange& data) {
                                  return compute_bytes(on, extent(data.neighbors->sources), {}, {});
                              }};
                      }};
    const std::vector<Native> natives{idle};
    const Bytes bytes = 1000;
    const Settings settings({{"sizes", Integers{bytes}},
                             {"processes", Integers{2, 2}},
                             {"neighbors", std::int64_t{8}}});
    const Rows rows = rows_of("neighbor", settings, 4, natives);
    CHECK_EQ(rows.size(), neighbor_algorithms().size() + 1);
    CHECK(is_about(row(rows, "native", bytes).seconds[0], 3e-6));
    // Three messages are sent and three received, one after the other; the last one still travels.
    const double burst = row(rows, "burst", bytes).seconds[0];
    CHECK(burst > 6 * o + L);
    CHECK(burst < 6 * o + L + 3 * double(bytes) * G + L + o);
    CHECK(row(rows, "pairwise", bytes).seconds[0] > burst);
}

TEST_CASE("neighbours may be given as edges, one way only") {
    const Settings settings({{"sizes", Integers{1000}},
                             {"edges", Integers{0, 2}},
                             {"algorithm", std::string("burst")}});
    const Rows rows = rows_of("neighbor", settings, 3);
    CHECK_EQ(rows.size(), 1U);
    CHECK(rows[0].seconds[0] < 2 * o + L + 1000 * G + L + o);
    CHECK(rows[0].seconds[0] > 2 * o + L);
}

TEST_CASE("a mesh exchange is measured by every algorithm, with the messages of its edges") {
    const Bytes point = 8;
    const Settings settings({{"sizes", Integers{point}}, {"elements", std::int64_t{2}}});
    const auto measured = [&](const char* connectivity, const char* combination) {
        Settings own = settings;
        own.set("connectivity", std::string(connectivity));
        own.set("combination", std::string(combination));
        return rows_of("mesh", own, 4);
    };
    for (const char* const combination : {"sum", "copy"}) {
        CAPTURE(combination);
        const Rows corners = measured("edges_and_corners", combination);
        const Rows edges = measured("edges", combination);
        CHECK_EQ(corners.size(), mesh_algorithms().size());
        CHECK_EQ(edges.size(), corners.size());
        for (std::size_t n = 0; n < corners.size(); ++n) {
            // Of 2 x 2 ranks each is its neighbour's neighbour on both sides: two edges of two
            // elements, and two corners on each side; four corners of the diagonal one.
            CHECK_EQ(corners[n].values.at("neighbors"), 3.0);
            CHECK_EQ(corners[n].values.at("largest_message_bytes"), double(20 * point));
            CHECK_EQ(edges[n].values.at("neighbors"), 2.0);
            CHECK_EQ(edges[n].values.at("largest_message_bytes"), double(16 * point));
        }
        // The prepared messages are those of isend and irecv.
        CHECK(row(corners, "persistent", point).seconds ==
              row(corners, "synchronous", point).seconds);
        const double two = row(edges, "synchronous", point).seconds[0];
        CHECK(two > 3 * o + L);
        CHECK(two < 4 * o + L + 2 * double(16 * point) * G + L + o);
        CHECK(row(corners, "synchronous", point).seconds[0] > two + o);
    }
    Settings one = settings;
    one.set("algorithm", std::string("on_arrival.persistent"));
    CHECK_EQ(rows_of("mesh", one, 2).size(), 1U);
}

TEST_CASE("wrong settings of a measurement are refused before anything runs") {
    Rows rows;
    const auto refused = [&](std::string_view name, const Settings& settings, Rank ranks) {
        return message_of<ConfigError>(
            [&] { (void)measure::measurement(name).make(settings, ranks, {}, rows); });
    };
    CHECK(contains(refused("pingpong", {}, 1), "at least 2"));
    CHECK(contains(refused("pingpong", Settings({{"sizes", Integers{-1}}}), 2), "sizes"));
    CHECK(contains(refused("overlap", {}, 1), "at least 2"));
    CHECK(contains(refused("swap", {}, 1), "at least 2"));
    const auto swap = [](const char* key, const char* value) {
        return Settings({{key, std::string(value)}});
    };
    CHECK(contains(refused("swap", swap("transport", "pigeon"), 2), "two_sided, puts"));
    CHECK(contains(refused("swap", swap("protocol", "(2,3)"), 2), "swaps = 1"));
    CHECK(contains(refused("swap", swap("protocol", "(9,3)"), 2), "known are"));
    CHECK(contains(refused("swap", Settings({{"sizes", Integers{8, 0}}}), 2), "in 1.."));
    CHECK(contains(refused("neighbor", Settings({{"edges", Integers{0, 2}}}), 2), "in 0..1"));
    CHECK(contains(refused("neighbor", Settings({{"edges", Integers{0}}}), 2), "pairs"));
    CHECK(contains(refused("neighbor", Settings({{"processes", Integers{2, 2}}}), 2), "[2,1]"));
    CHECK(contains(refused("neighbor", Settings({{"neighbors", std::int64_t{6}}}), 2),
                   "expected 4 or 8"));
    CHECK(contains(refused("neighbor", swap("algorithm", "native"), 2), "known are: burst"));
    CHECK(contains(refused("mesh", swap("algorithm", "pigeons"), 2), "known are: synchronous"));
    CHECK(contains(refused("mesh", Settings({{"sizes", Integers{12}}}), 2), "multiple of 8"));
    CHECK(contains(refused("mesh", Settings({{"processes", Integers{2, 2}}}), 2), "[2,1]"));
    CHECK(contains(refused("mesh", swap("connectivity", "faces"), 2), "edges_and_corners"));
    CHECK(
        contains(refused("neighbor",
                         Settings({{"edges", Integers{0, 1}}, {"neighbors", std::int64_t{4}}}), 2),
                 "cannot be"));
    Settings by_puts = swap("transport", "puts");
    by_puts.set("protocol", std::string("(0,6)"));
    CHECK(contains(refused("swap", by_puts, 2), "by puts"));
    CHECK(contains(refused("collectives", {}, 2), "operation"));
    const auto with = [](const char* operation, const char* algorithm) {
        return Settings(
            {{"operation", std::string(operation)}, {"algorithm", std::string(algorithm)}});
    };
    CHECK(contains(refused("collectives", with("gather", "all"), 2), "known are"));
    CHECK(contains(refused("collectives", with("bcast", "magic"), 2), "magic"));
    CHECK(contains(refused("collectives", with("bcast", "native"), 2), "native"));
    CHECK(contains(message_of<ConfigError>([] { (void)measure::measurement("x"); }), "pingpong"));
}

TEST_CASE("every measurement refuses settings that it does not read, and names those it reads") {
    Rows rows;
    for (const measure::MeasurementEntry& entry : measure::measurements()) {
        CAPTURE(entry.name);
        const Settings settings({{"repetition", std::int64_t{3}}});
        const std::string message =
            message_of<ConfigError>([&] { (void)entry.make(settings, 4, {}, rows); });
        CHECK(contains(message, text(entry.name, ": unknown setting \"repetition\"")));
        for (const Declaration* const declared : entry.settings)
            CHECK(contains(message, declared->name()));
    }
}
