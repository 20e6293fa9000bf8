/// Verification: every algorithm is found correct, and a rank with wrong data is found.
#include "tradewind/comm/verification/verification.hpp"

#include "algorithm_cases.hpp"
#include "forwarding_comm.hpp"
#include "support/ranks.hpp"
#include "tradewind/comm/allgather/allgather.hpp"
#include "tradewind/comm/allreduce/allreduce.hpp"
#include "tradewind/comm/alltoallv/alltoallv.hpp"
#include "tradewind/comm/barrier/barrier.hpp"
#include "tradewind/comm/bcast/bcast.hpp"
#include "tradewind/comm/catalogue.hpp"
#include "tradewind/comm/gather/gather.hpp"
#include "tradewind/comm/mesh/mesh_algorithms.hpp"
#include "tradewind/comm/mesh/mesh_options.hpp"
#include "tradewind/comm/neighbor/neighbor.hpp"
#include "tradewind/comm/reduce/reduce.hpp"
#include "tradewind/comm/reduce_scatter/reduce_scatter.hpp"
#include "tradewind/comm/scan/scan.hpp"
#include "tradewind/comm/scatter/scatter.hpp"

using namespace tradewind;

namespace {

/// A communicator that forwards all calls to another one, but changes the numbers in long messages
/// of rank 0 with one tag.
class FaultyComm final : public ForwardingComm {
public:
    FaultyComm(Comm& inner, Tag tag) : ForwardingComm(inner), tag_(tag) {}

private:
    Request start_send(Rank to, ConstBuffer data, Envelope envelope, SendMode mode) override {
        // Short messages may hold the sizes of others.
        if (rank_ == 0 && envelope.tag == tag_ && data.size() >= 1000) {
            auto& wrong = wrong_.emplace_back(data.data(), data.data() + data.size());
            for (std::size_t i = 6; i < wrong.size(); i += 8) wrong[i] ^= std::byte{1};
            data = {wrong.data(), data.size()};
        }
        return ForwardingComm::start_send(to, data, envelope, mode);
    }

    Tag tag_;
    std::vector<std::vector<std::byte>> wrong_;
};

std::vector<Verdict> verdicts_of(Rank ranks, Tag faulty) {
    std::vector<std::vector<Verdict>> all(static_cast<std::size_t>(ranks));
    std::vector<std::unique_ptr<FaultyComm>> comms(all.size());
    run_ranks(ranks, [&](Comm& comm) {
        const auto r = std::size_t(comm.rank());
        comms[r] = std::make_unique<FaultyComm>(comm, faulty);
        return verify_algorithms(*comms[r], all[r]);
    });
    return all[std::size_t(visible(ranks)[0])];
}

constexpr Tag no_tag = -1;

}  // namespace

TEST_CASE("all algorithms of all tables are verified and right") {
    const auto count = alltoallv_algorithms().size() + allreduce_algorithms().size() +
                       allgather_algorithms().size() + bcast_algorithms().size() +
                       reduce_algorithms().size() + gather_algorithms().size() +
                       scatter_algorithms().size() + scan_algorithms().size() +
                       reduce_scatter_algorithms().size() + barrier_algorithms().size() +
                       neighbor_algorithms().size() + 2 * mesh_choices(false).size();
    for (const Rank ranks : runnable({1, 2, 3, 5, 8, 16})) {
        const auto verdicts = verdicts_of(ranks, no_tag);
        CHECK_EQ(verdicts.size(), count);
        for (const Verdict& verdict : verdicts) {
            CAPTURE(ranks, verdict.operation, verdict.algorithm);
            CHECK_EQ(verdict.wrong, 0);
        }
    }
}

TEST_CASE("verification finds data that were changed on their way") {
    struct Case {
        const char* operation;
        Tag tag;
    };
    for (const Rank ranks : runnable({4})) {
        for (const auto& [operation, tag] :
             {Case{"alltoallv", tags::alltoallv}, Case{"allreduce", tags::allreduce},
              Case{"allgather", tags::allgather}, Case{"reduce", tags::reduce},
              Case{"gather", tags::gather}, Case{"scan", tags::scan},
              Case{"reduce_scatter", tags::reduce_scatter}}) {
            for (const Verdict& verdict : verdicts_of(ranks, tag)) {
                CAPTURE(verdict.operation, verdict.algorithm, tag);
                CHECK_EQ(verdict.wrong > 0, verdict.operation == operation);
            }
        }
    }
}

TEST_CASE("verification finds points of a mesh that were changed on their way") {
    for (const Rank ranks : runnable({4})) {
        for (const Verdict& verdict : verdicts_of(ranks, tags::mesh)) {
            CAPTURE(verdict.operation, verdict.algorithm);
            const bool is_mesh = verdict.operation.starts_with("mesh");
            // Other carriers have other tags.
            const std::string_view carrier =
                is_mesh ? mesh_algorithm(verdict.algorithm).carrier : "";
            const bool is_carried = !carrier.empty() && carrier != "persistent";
            CHECK_EQ(verdict.wrong > 0, is_mesh && !is_carried);
        }
    }
}
