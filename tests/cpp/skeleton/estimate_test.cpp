/// Estimate: the counting communicator, and sampling beyond some million calls.
#include "tradewind/skeleton/estimate.hpp"

#include "testing.hpp"
#include "tradewind/base/errors.hpp"

using namespace tradewind;
using namespace tradewind::skeleton;

namespace {

/// Uses every kind of wait; rank r sends r + 1 messages of r bytes and one put of 100 bytes.
Task mixed(Comm& comm) {
    std::vector<Request> requests;
    for (Rank i = 0; i <= comm.rank(); ++i)
        requests.push_back(comm.isend(0, ConstBuffer(comm.rank())));
    requests.push_back(comm.irecv(0, Buffer(8)));
    for (Rank left = comm.rank() + 2; left > 0; --left) {
        const auto index = co_await comm.wait_any(requests);
        CHECK(index >= 0);
    }
    const auto none = co_await comm.wait_any(requests);
    CHECK_EQ(none, -1);
    co_await comm.wait_all(requests);
    const Window window = comm.expose(Buffer(100));
    Request put = comm.put(0, window, 0, ConstBuffer(100));
    co_await comm.wait(put);
    CHECK(put.is_null());
    co_await comm.wait_signal(window, 1);
    co_await comm.compute({1e9, 0});
}

Task thousand(Comm& comm) {
    for (int i = 0; i < 1000; ++i) co_await comm.send(0, ConstBuffer(3));
}

Task failing(Comm& comm) {
    Request request = comm.isend(comm.size(), ConstBuffer(1));
    co_await comm.wait(request);
}

}  // namespace

TEST_CASE(
    "messages and bytes of all ranks are counted, receives are not; a send is under way until it "
    "is waited for") {
    const Estimate counted = count_messages(4, mixed);
    CHECK_EQ(counted.messages, 1 + 2 + 3 + 4 + 4.0);
    CHECK_EQ(counted.bytes, 0 + 2 + 6 + 12 + 400.0);
    CHECK_EQ(counted.at_once, 4.0);
}

TEST_CASE("many messages are extrapolated from some ranks") {
    const Estimate counted = count_messages(1'000'000, thousand);
    CHECK_EQ(counted.messages, 1e9);
    CHECK_EQ(counted.bytes, 3e9);
    CHECK_EQ(counted.at_once, 1.0);
}

TEST_CASE("an error of a rank comes through") {
    CHECK_THROWS_AS(count_messages(4, failing), ConfigError);
}
