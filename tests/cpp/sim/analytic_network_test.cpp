/// Tests of the analytic network: LogGOPS times of single messages and trains.
#include <vector>

#include "support/post.hpp"
#include "testing.hpp"

using namespace support;

namespace {

constexpr Picoseconds L = 2'500'000;
constexpr Picoseconds g = 1'000'000;
constexpr Picoseconds G = 6000;

Wire loggops() {
    Wire wire("torus", torus({4}, 2));
    wire.parameters.flight_latency = L;
    wire.parameters.message_gap = g;
    wire.parameters.flight_rate = TransferRate(1e12 / double(G));
    return wire;
}

}  // namespace

TEST_CASE("an analytic message takes L + (s-1) G") {
    for (const Bytes s : {Bytes{1}, Bytes{2}, Bytes{1000}, Bytes{1'000'000}}) {
        CAPTURE(s);
        Wire wire = loggops();
        std::vector<Mail> mails{{0, 5, s, 7}};
        wire.run_analytic(mails);
        CHECK_EQ(mails[0].delivered, 7 + L + (s - 1) * G);
        CHECK_EQ(mails[0].injected, 7 + (s - 1) * G);
        CHECK_EQ(wire.report.delay.maximum(), 0);
    }
}

TEST_CASE("analytic messages of one sender start g + (s-1) G apart") {
    for (const Bytes s : {Bytes{1}, Bytes{300}}) {
        Wire wire = loggops();
        std::vector<Mail> mails;
        for (std::uint32_t i = 0; i < 6; ++i) mails.push_back({0, 2 + i, s, 0});
        wire.run_analytic(mails);
        for (int i = 0; i < 6; ++i) {
            CHECK_EQ(mails[std::size_t(i)].delivered, i * (g + (s - 1) * G) + L + (s - 1) * G);
        }
    }
}

TEST_CASE("analytic messages to one receiver are taken g + (s-1) G apart") {
    const Bytes s = 300;
    Wire wire = loggops();
    std::vector<Mail> mails;
    for (std::uint32_t i = 0; i < 5; ++i) mails.push_back({i, 7, s, 0});
    wire.run_analytic(mails);
    for (int i = 0; i < 5; ++i) {
        CHECK_EQ(mails[std::size_t(i)].delivered, i * (g + (s - 1) * G) + L + (s - 1) * G);
    }
    CHECK_EQ(wire.report.delay.maximum(), 4 * (g + (s - 1) * G));
}

TEST_CASE("without L an analytic message takes the latencies of its route") {
    Wire wire = loggops();
    wire.parameters.flight_latency = 0;
    std::vector<Mail> mails{{0, 1, 1, 0}, {2, 4, 1, 0}, {6, 3, 1, 0}};
    wire.run_analytic(mails);
    const Picoseconds ends = 50'000 + 20'000 + 30'000;
    CHECK_EQ(mails[0].delivered, ends);
    CHECK_EQ(mails[1].delivered, ends + 120'000);
    CHECK_EQ(mails[2].delivered, ends + 2 * 120'000);
}

TEST_CASE("an analytic network reports the bytes and messages that it carried") {
    Wire wire = loggops();
    auto mails = burst(wire, 10);
    wire.run_analytic(mails);
    Bytes sent = 0;
    for (const Mail& mail : mails) {
        CHECK(mail.delivered >= mail.time + L + (mail.bytes - 1) * G);
        sent += mail.bytes;
    }
    CHECK_EQ(wire.report.bytes, sent);
    CHECK_EQ(wire.report.messages, std::int64_t(mails.size()));
    CHECK_EQ(wire.report.links.front().bytes, sent);
}
