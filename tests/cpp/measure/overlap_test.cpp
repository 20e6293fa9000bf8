/// The measurement of overlap on simulated ranks, where overhead and availability follow from the
/// machine's numbers.
#include "tradewind/measure/overlap.hpp"

#include <algorithm>
#include <cmath>

#include "support/machine.hpp"
#include "testing.hpp"
#include "tradewind/measure/measurement.hpp"

using namespace support;
using measure::Row;
using measure::Rows;

namespace {

// The parameters of loggops_machine.
constexpr double o = 1500e-9;
constexpr double L = 2500e-9;
constexpr double G = 6e-9;

const Row& row(const Rows& rows, const std::string& name) {
    const auto found = std::ranges::find(rows, name, &Row::name);
    CHECK(found != rows.end());
    return *found;
}

bool is_about(double value, double expected) {
    return std::abs(value - expected) < 0.02 * expected;
}

/// Returns loggops_machine with copies of eager messages of 1 ns and 2 ns for each byte.
Sections copying_machine() {
    Sections sections = loggops_machine();
    sections["message"].set("copy_per_byte_send", 1000.0);
    sections["message"].set("copy_per_byte_receive", 2000.0);
    return sections;
}

Rows rows_of(const Settings& settings) {
    Rows rows;
    const Program program = measure::measurement("overlap").make(settings, 2, {}, rows);
    (void)simcomm::simulate(copying_machine(), program, 2);
    return rows;
}

Rows rows_of_size(Bytes bytes, bool payload = true) {
    return rows_of(Settings({{"sizes", Integers{bytes}},
                             {"repetitions", std::int64_t{3}},
                             {"warm_up", std::int64_t{1}},
                             {"payload", payload}}));
}

struct Expected {
    double overhead;
    double base;
};

void check_overlap(const Row& row, Expected expected) {
    CAPTURE(row.name, row.bytes);
    CHECK(is_about(row.values.at("overhead_s"), expected.overhead));
    CHECK(is_about(row.values.at("base_s"), expected.base));
    const double free = 1.0 - expected.overhead / expected.base;
    CHECK(std::abs(row.values.at("availability") - free) < 0.02);
    // The work has been doubled until it dominates.
    CHECK(row.values.at("iteration_s") > 1.5 * expected.base);
    CHECK(row.values.at("work_s") < 3.0 * expected.base + 1e-6);
}

}  // namespace

TEST_CASE("an eager send costs its processor all of its time, the receive leaves the transfer") {
    const Bytes bytes = 20'000;
    const double send = o + double(bytes) * 1e-9;
    const double receive = o + double(bytes) * 2e-9;
    const Rows rows = rows_of_size(bytes);
    CHECK_EQ(rows.size(), 4U);
    check_overlap(row(rows, "send"), {send, send});
    // The receiver enters the barrier last, and leaves it one latency before the sender.
    const double transfer = L + double(bytes - 1) * G;
    check_overlap(row(rows, "receive"), {receive, L + send + transfer + receive});
}

TEST_CASE("a rendezvous goes on beside the work: only the calls cost processor time") {
    const Bytes bytes = 100'000;
    const double handshake = 2 * (L + 63 * G);
    const double data = double(bytes - 1) * G;
    const Rows rows = rows_of_size(bytes);
    for (const char* const mode : {"", "synchronous_"}) {
        const std::string prefix = mode;
        // The send is over when the last byte has left; the receiver leaves the barrier earlier.
        check_overlap(row(rows, prefix + "send"), {o, o + handshake + data});
        check_overlap(row(rows, prefix + "receive"), {o, L + o + handshake + L + data + o});
    }
}

TEST_CASE("a short synchronous send waits for its receive, a standard one does not") {
    const Bytes bytes = 1000;
    const Rows rows = rows_of_size(bytes);
    const double base = row(rows, "synchronous_send").values.at("base_s");
    CHECK(is_about(base, o + 2 * (L + 63 * G) + double(bytes - 1) * G));
    check_overlap(row(rows, "send"), {o + 1e-6, o + 1e-6});
}

TEST_CASE("simulated ranks need neither data nor real work to measure overlap") {
    const Rows with = rows_of_size(5000);
    const Rows without = rows_of_size(5000, false);
    for (std::size_t i = 0; i < with.size(); ++i) CHECK(with[i].values == without[i].values);
}

TEST_CASE("the factors of overlap decide where the work ends, and one kind of send is enough") {
    const Settings settings({{"sizes", Integers{60'000}},
                             {"repetitions", std::int64_t{2}},
                             {"work_dominates", 20.0},
                             {"send_mode", std::string("synchronous")}});
    const Rows rows = rows_of(settings);
    CHECK_EQ(rows.size(), 2U);
    for (const Row& one : rows) {
        CAPTURE(one.name);
        CHECK(contains(one.name, "synchronous_"));
        CHECK(one.values.at("iteration_s") > 20.0 * one.values.at("base_s"));
    }
}

TEST_CASE("availability follows from the three times as in the example of Sandia's benchmark") {
    // The documentation of mpi_overhead, 8 bytes: iter_t, work_t, overhead, base_t, avail(%).
    const measure::OverlapTimes times{3.990, 9.465, 8.608};
    CHECK(std::abs(times.overhead() - 0.858) < 0.0015);
    CHECK(std::abs(100.0 * times.availability() - 78.5) < 0.05);
    CHECK_EQ(measure::OverlapTimes{}.availability(), 0.0);
}

TEST_CASE("overlap repeats short messages a thousand times, long ones less often") {
    CHECK_EQ(measure::overlap_repetitions(8), 1000);
    CHECK_EQ(measure::overlap_repetitions((64 << 10) - 1), 1000);
    CHECK_EQ(measure::overlap_repetitions(64 << 10), 100);
    CHECK_EQ(measure::overlap_repetitions(8 << 20), 10);
    const Settings settings({{"sizes", Integers{100'000}}, {"payload", false}});
    for (const Row& one : rows_of(settings)) CHECK_EQ(one.seconds.size(), 100U);
}
