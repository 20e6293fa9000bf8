/// Sub-communicators as MPI communicators, and the arguments of the library's collectives.
#include "tradewind/mpi/own_collectives.hpp"

#include "tradewind/comm/allreduce/allreduce.hpp"
#include "tradewind/comm/alltoallv/alltoallv.hpp"
#include "tradewind/comm/sub_comm.hpp"
#include "tradewind/mpi/check.hpp"
#include "tradewind/mpi/graph.hpp"
#include "tradewind/mpi/mpi_comm.hpp"

namespace tradewind::mpi {

namespace {

struct CountArrays {
    std::vector<int> counts;
    std::vector<int> offsets;

    void add(BlockRange block) {
        counts.push_back(count_of(block.size));
        // An empty block may have any offset.
        offsets.push_back(block.size > 0 ? count_of(block.offset) : 0);
    }
};

struct Known {
    Reduction reduction;
    MPI_Datatype type;
    MPI_Op operation;
};

Known known(const Reduction& reduction) {
    const Known all[] = {
        {sum<double>(), MPI_DOUBLE, MPI_SUM},
        {maximum<double>(), MPI_DOUBLE, MPI_MAX},
        {minimum<double>(), MPI_DOUBLE, MPI_MIN},
        {sum<std::int64_t>(), MPI_INT64_T, MPI_SUM},
        {maximum<std::int64_t>(), MPI_INT64_T, MPI_MAX},
        {minimum<std::int64_t>(), MPI_INT64_T, MPI_MIN},
    };
    for (const Known& one : all) {
        if (one.reduction.combine == reduction.combine) return one;
    }
    throw ConfigError(
        "allreduce: native takes sums, maxima and minima of double and 64-bit integers only");
}

/// Returns the memory of a buffer, or of `instead` if the buffer is null: the same number of bytes
/// is sent.
template <class Byte>
[[nodiscard]] Byte* data_or(BasicBuffer<Byte> buffer, std::vector<std::byte>& instead) {
    if (!buffer.is_null()) return buffer.data();
    instead.resize(std::size_t(buffer.size()));
    return instead.data();
}

/// A neighbourhood collective whose calls count as blocked, and its messages as received.
class TimedCollective final : public NeighborCollective {
public:
    TimedCollective(MPI_Comm comm, const Neighborhood& own, PhaseTimes& times)
        : collective_(comm, own), times_(times) {}

    void exchange(const NeighborExchange& data) override {
        receive(data);
        const PhaseTimes::Blocked blocked(times_);
        collective_.exchange(data);
    }
    void start(const NeighborExchange& data) override {
        receive(data);
        collective_.start(data);
    }
    void finish() override {
        const PhaseTimes::Blocked blocked(times_);
        collective_.finish();
    }

private:
    void receive(const NeighborExchange& data) {
        for (const Neighbor& from : data.neighbors->sources) times_.receive(from.size);
    }

    GraphCollective collective_;
    PhaseTimes& times_;
};

}  // namespace

void OwnCollectives::alltoallv(const Comm& group, const Alltoallv& data) {
    CountArrays sent;
    CountArrays received;
    for (Rank r = 0; r < group.size(); ++r) {
        sent.add(data.blocks->sent(r));
        received.add(data.blocks->received(r));
    }
    std::vector<std::byte> out;
    std::vector<std::byte> in;
    const PhaseTimes::Blocked blocked(comm_.phases_);
    const BlockingCall call("MPI_Alltoallv", data.receive.size());
    check(MPI_Alltoallv(data_or(data.send, out), sent.counts.data(), sent.offsets.data(), MPI_BYTE,
                        data_or(data.receive, in), received.counts.data(), received.offsets.data(),
                        MPI_BYTE, communicator_of(group)),
          "MPI_Alltoallv");
}

void OwnCollectives::allreduce(const Comm& group, const Allreduce& vector) {
    const Known found = known(vector.reduction);
    std::vector<std::byte> instead;
    const int count = count_of(vector.data.size() / vector.reduction.element_size);
    const PhaseTimes::Blocked blocked(comm_.phases_);
    const BlockingCall call("MPI_Allreduce", vector.data.size());
    check(MPI_Allreduce(MPI_IN_PLACE, data_or(vector.data, instead), count, found.type,
                        found.operation, communicator_of(group)),
          "MPI_Allreduce");
}

std::unique_ptr<NeighborCollective> OwnCollectives::neighbors(const Comm& group,
                                                              const Neighborhood& own) {
    return std::make_unique<TimedCollective>(communicator_of(group), own, comm_.phases_);
}

MPI_Comm OwnCollectives::communicator_of(const Comm& group) {
    if (&group == &comm_) return comm_.communicator();
    std::vector<int> ranks;
    for (Rank r = 0; r < group.size(); ++r) {
        Rank at = r;
        const Comm* above = &group;
        while (const auto* const sub = dynamic_cast<const SubComm*>(above)) {
            at = sub->parent_rank(at);
            above = &sub->parent();
        }
        ranks.push_back(int(at));
    }
    MPI_Comm& made = made_.try_emplace(ranks, MPI_COMM_NULL).first->second;
    if (made != MPI_COMM_NULL) return made;
    MPI_Group all = MPI_GROUP_NULL;
    MPI_Group some = MPI_GROUP_NULL;
    check(MPI_Comm_group(comm_.communicator(), &all), "MPI_Comm_group");
    check(MPI_Group_incl(all, int(ranks.size()), ranks.data(), &some), "MPI_Group_incl");
    const BlockingCall call("MPI_Comm_create_group");
    check(MPI_Comm_create_group(comm_.communicator(), some, 0, &made), "MPI_Comm_create_group");
    check(MPI_Comm_set_errhandler(made, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
    MPI_Group_free(&some);
    MPI_Group_free(&all);
    return made;
}

void OwnCollectives::free() noexcept {
    for (auto& [ranks, made] : made_) {
        const BlockingCall call("MPI_Comm_free");
        if (made != MPI_COMM_NULL) MPI_Comm_free(&made);
    }
    made_.clear();
}

}  // namespace tradewind::mpi
