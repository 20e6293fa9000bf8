/// Programs that hang or end with an error, each in one way that the messages of ranks can fail to
/// match.
#include "mismatched_cases.hpp"

#include <array>
#include <chrono>
#include <memory>
#include <stdexcept>
#include <thread>
#include <vector>

#include "tradewind/comm/allreduce/allreduce.hpp"
#include "tradewind/comm/alltoallv/alltoallv.hpp"
#include "tradewind/comm/barrier/barrier.hpp"
#include "tradewind/comm/bcast/bcast.hpp"
#include "tradewind/comm/neighbor/neighbor.hpp"
#include "tradewind/comm/sub_comm.hpp"
#include "tradewind/mpi/graph.hpp"
#include "tradewind/mpi/mpi_comm.hpp"
#include "tradewind/skeleton/halo.hpp"

namespace tradewind {

namespace {

constexpr Tag tag = 7;

/// The memory of one rank: more than any of these programs needs.
std::array<double, 65536> memory;

Buffer bytes(Bytes size) {
    return {reinterpret_cast<std::byte*>(memory.data()), size};
}

/// Waits for one message from each of the ranks, and for a send to each of the others.
Task transfer(Comm& comm, std::vector<Rank> from, std::vector<Rank> to, Tag with, Bytes size,
              SendMode mode) {
    std::vector<Request> requests;
    for (const Rank rank : from) requests.push_back(comm.irecv(rank, bytes(size), with));
    for (const Rank rank : to) requests.push_back(comm.isend(rank, bytes(size), with, mode));
    co_await comm.wait_all(requests);
}

void receive(Comm& comm, std::vector<Rank> from, Tag with = tag, Bytes size = 8) {
    mpi::run(comm,
             [&](Comm& on) { return transfer(on, from, {}, with, size, SendMode::standard); });
}

void send(Comm& comm, std::vector<Rank> to, Tag with = tag, Bytes size = 8,
          SendMode mode = SendMode::standard) {
    mpi::run(comm, [&](Comm& on) { return transfer(on, {}, to, with, size, mode); });
}

void receive_without_send(Comm& world) {
    if (world.rank() == 0) receive(world, {1});
}

void send_without_receive(Comm& world) {
    if (world.rank() == 0) send(world, {1}, tag, 16, SendMode::synchronous);
}

void wrong_tag(Comm& world) {
    world.rank() == 0 ? send(world, {1}, 5) : receive(world, {0}, 6);
}

void wrong_peer(Comm& world) {
    if (world.rank() == 0) receive(world, {2});
    if (world.rank() == 1) send(world, {0});
}

void some_of_many(Comm& world) {
    if (world.rank() > 0) send(world, {0}, world.rank());
    if (world.rank() > 0) return;
    std::vector<Rank> from(6, 1);
    from.push_back(2);
    receive(world, from, 1);
}

void both_send_first(Comm& world) {
    const Rank other = 1 - world.rank();
    send(world, {other}, tag, 8, SendMode::synchronous);
    receive(world, {other});
}

Task exchange_with(Comm& comm, Rank other, Tag with) {
    co_await comm.exchange(other, bytes(8), other, bytes(8), with);
}

void exchanges_in_other_order(Comm& world) {
    for (const Tag with : {Tag(1 + world.rank()), Tag(2 - world.rank())}) {
        mpi::run(world, [&](Comm& on) { return exchange_with(on, 1 - on.rank(), with); });
    }
}

Task any_of(Comm& comm, Rank first, Rank second) {
    std::array<Request, 2> both{comm.irecv(first, bytes(8), 1), comm.irecv(second, bytes(8), 2)};
    co_await comm.wait_any(both);
}

void none_of_any(Comm& world) {
    if (world.rank() == 0) mpi::run(world, [](Comm& on) { return any_of(on, 1, 2); });
}

Task persistent_receive(Comm& comm, Rank from) {
    const auto prepared = comm.prepare({FixedMessage::receive(from, bytes(24))}, tag);
    std::array<Request, 1> started{};
    prepared->start(0, started);
    co_await comm.wait_all(started);
}

void persistent_without_send(Comm& world) {
    if (world.rank() == 1) mpi::run(world, [](Comm& on) { return persistent_receive(on, 0); });
}

void message_too_long(Comm& world) {
    world.rank() == 0 ? send(world, {1}, tag, 16) : receive(world, {0}, tag, 8);
}

void allreduce(Comm& comm, Bytes size, const char* algorithm = "recursive_doubling") {
    mpi::run(comm, [&](Comm& on) {
        return allreduce_algorithm(algorithm).run(on, {bytes(size), sum<double>()}, {});
    });
}

void bcast(Comm& comm, Rank root) {
    mpi::run(comm,
             [&](Comm& on) { return bcast_algorithm("binomial").run(on, {bytes(8), root}, {}); });
}

void barrier(Comm& comm) {
    mpi::run(comm, [](Comm& on) { return barrier_algorithm("dissemination").run(on, {}); });
}

void early_return(Comm& world) {
    if (world.rank() > 0) barrier(world);
}

void other_collectives(Comm& world) {
    world.rank() == 0 ? allreduce(world, 8) : barrier(world);
}

void other_library_collectives(Comm& world) {
    world.rank() == 0 ? allreduce(world, 8, "native") : barrier(world);
}

void one_library_collective(Comm& world) {
    if (world.rank() == 0) allreduce(world, 8, "native");
    if (world.rank() == 1) receive(world, {0});
}

void other_sizes(Comm& world) {
    allreduce(world, world.rank() == 0 ? 8 : 16);
}

void other_roots(Comm& world) {
    bcast(world, world.rank());
}

void one_bcast_more(Comm& world) {
    bcast(world, 0);
    if (world.rank() == 1) bcast(world, 0);
}

Task halo_of(Comm& comm, const skeleton::Halo& plan, skeleton::MessageMemory& kept) {
    const auto size =
        std::size_t(skeleton::halo_box(plan, comm.rank()).points() * plan.elements.per_point());
    co_await skeleton::exchange_halo(comm, plan, std::span(bytes(Bytes(size)).data(), size), kept);
}

void other_halo_widths(Comm& world) {
    skeleton::Halo plan;
    plan.grid = {8, 8, 1};
    plan.processes = {2, 1};
    plan.elements = {8, 1};
    plan.width = 1 + world.rank();
    skeleton::MessageMemory kept;
    mpi::run(world, [&](Comm& on) { return halo_of(on, plan, kept); });
}

Task wait_for_signal(Comm& comm, bool puts) {
    const Window window = comm.expose(bytes(64), 2);
    if (comm.rank() == 0) co_await comm.wait_signal(window, 3, 1);
    if (!puts) co_return;
    Request put = comm.put(0, window, 0, bytes(8), 1);
    co_await comm.wait(put);
}

void no_signal(Comm& world) {
    mpi::run(world, [](Comm& on) { return wait_for_signal(on, on.rank() == 1); });
}

void one_window(Comm& world) {
    if (world.rank() == 0) (void)world.expose(bytes(64), 1);
}

void exception(Comm& world) {
    if (world.rank() == 1) throw std::out_of_range("no such level");
    receive(world, {1});
}

void exception_that_is_caught(Comm& world) {
    try {
        exception(world);
    } catch (const std::out_of_range&) {
        barrier(world);
    }
}

void no_member(Comm& world) {
    SubComm pair = world.strided(0, 1, 2);
    barrier(pair);
}

void member_missing(Comm& world) {
    if (world.rank() == 2) return;
    SubComm all = world.strided(0, 1, 3);
    barrier(all);
}

void other_counts(Comm& world) {
    const UniformBlocks blocks(world.rank() == 0 ? 8 : 16);
    std::vector<std::byte> in(64);
    mpi::run(world, [&](Comm& on) {
        return alltoallv_algorithm("ring").run(
            on, {bytes(64), Buffer(in.data(), Bytes(in.size())), &blocks}, {});
    });
}

void one_sided_neighbors(Comm& world) {
    const Neighborhood own =
        world.rank() == 0 ? Neighborhood{{{1, 8, 0}}, {}} : Neighborhood{{}, {}};
    mpi::run(world, [&](Comm& on) {
        return neighbor_algorithm("burst").run(on, {bytes(8), bytes(8), &own}, {});
    });
}

void only_some_make_a_graph(Comm& world) {
    const Neighborhood own;
    if (world.rank() == 0) const mpi::GraphComm graph(mpi::communicator_of(world), own);
}

void only_some_make_a_communicator(Comm& world) {
    if (world.rank() == 0) const mpi::MpiComm another(mpi::communicator_of(world));
}

void own_call_of_mpi(Comm& world) {
    double value = 0;
    if (world.rank() == 0) receive(world, {1});
    if (world.rank() == 1) MPI_Recv(&value, 1, MPI_DOUBLE, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

void long_computation(Comm& world) {
    world.begin_phase("physics");
    if (world.rank() == 1) std::this_thread::sleep_for(std::chrono::seconds(60));
    barrier(world);
}

constexpr MismatchedProgram table[] = {
    {"receive_without_send", 2,
     "rank 0 of 2 has waited 1\\S* s for receive of at most 8 bytes from rank 1 \\(tag 7\\)\n"
     "rank 1 of 2 has",
     receive_without_send},
    {"send_without_receive", 2,
     "rank 0 of 2 has waited \\S+ s for send of 16 bytes to rank 1 \\(tag 7\\)",
     send_without_receive},
    {"wrong_tag", 2, "rank 1 of 2 .*receive of at most 8 bytes from rank 0 \\(tag 6\\)", wrong_tag},
    {"wrong_peer", 3, "rank 0 of 3 .*receive of at most 8 bytes from rank 2 \\(tag 7\\)",
     wrong_peer},
    {"some_of_many", 3,
     "rank 0 of 3 .* s for (receive of at most 8 bytes from rank 1 \\(tag 1\\), ){3}"
     "receive of at most 8 bytes from rank 1 \\(tag 1\\) and 2 more",
     some_of_many},
    {"both_send_first", 2,
     "rank 0 of 2 .*send of 8 bytes to rank 1 \\(tag 7\\)\n"
     "rank 1 of 2 .*send of 8 bytes to rank 0 \\(tag 7\\)",
     both_send_first},
    {"exchanges_in_other_order", 2,
     "rank 0 of 2 has waited \\S+ s for receive of at most 8 bytes from rank 1 \\(tag 1\\)\n"
     "rank 1 of 2 has waited \\S+ s for receive of at most 8 bytes from rank 0 \\(tag 2\\)",
     exchanges_in_other_order},
    {"none_of_any", 3,
     "rank 0 of 3 .* s for any of: receive of at most 8 bytes from rank 1 \\(tag 1\\), receive of "
     "at most 8 bytes from rank 2 \\(tag 2\\)",
     none_of_any},
    {"persistent_without_send", 2,
     "rank 1 of 2 .*receive of at most 24 bytes from rank 0 \\(tag 7\\)", persistent_without_send},
    {"message_too_long", 2, "rank 1 of 2.*receive of at most 8 bytes from rank 0 .* failed",
     message_too_long},
    {"early_return", 3, "rank 1 of 3 has waited\nrank 2 of 3 has waited", early_return},
    {"other_collectives", 2, "rank 0 of 2 has waited\nrank 1 of 2 has waited", other_collectives},
    {"other_library_collectives", 2,
     "rank 0 of 2 has waited \\S+ s in MPI_Allreduce of 8 bytes\n"
     "rank 1 of 2 has waited \\S+ s for receive of at most",
     other_library_collectives},
    {"one_library_collective", 2, "rank 1 of 2 has waited \\S+ s for receive of at most 8 bytes",
     one_library_collective},
    {"other_sizes", 2, "rank 0 of 2: .*receive of at most 8 bytes from rank 1 .* failed",
     other_sizes},
    {"other_roots", 2, "a message of 8 bytes from rank 1 .*never received", other_roots},
    {"one_bcast_more", 2,
     "rank 1 of 2 has waited \\S+ s for receive of at most 8 bytes from rank 0", one_bcast_more},
    {"other_halo_widths", 2, "rank 0 of 2: .*receive of at most .* failed", other_halo_widths},
    {"no_signal", 2,
     "rank 0 of 2 has waited \\S+ s for 3 puts at signal 1 of window 0, of which 1 have come",
     no_signal},
    {"one_window", 2, "rank 0 of 2 has waited \\S+ s in MPI_", one_window},
    {"exception", 2, "rank 1 of 2: no such level", exception},
    {"exception_that_is_caught", 2,
     "rank 0 of 2 has waited \\S+ s for receive of at most 8 bytes\nrank 1 of 2 has waited",
     exception_that_is_caught},
    {"no_member", 3, "rank 2 of 3: .*rank 2", no_member},
    {"member_missing", 3, "rank 0 of 3 has waited\nrank 1 of 3 has waited", member_missing},
    {"other_counts", 2, "rank 0 of 2: .*receive of at most 8 bytes from rank 1 .* failed",
     other_counts},
    {"one_sided_neighbors", 2, "rank 0 of 2 has waited \\S+ s for receive of at most 8 bytes",
     one_sided_neighbors},
    {"only_some_make_a_graph", 2, "rank 0 of 2 has waited \\S+ s in MPI_", only_some_make_a_graph},
    {"only_some_make_a_communicator", 2, "rank 0 of 2 has waited \\S+ s in MPI_",
     only_some_make_a_communicator},
    {"own_call_of_mpi", 2,
     "rank 0 of 2 has waited \\S+ s for receive\n"
     "rank 1 of 2 has not waited in Tradewind for \\S+ s",
     own_call_of_mpi},
    {"long_computation", 2,
     "rank 0 of 2 has waited \\S+ s for .*, in phase \"physics\"\n"
     "rank 1 of 2 has not waited in Tradewind for \\S+ s",
     long_computation},
};

}  // namespace

std::span<const MismatchedProgram> mismatched_programs() {
    return table;
}

}  // namespace tradewind
