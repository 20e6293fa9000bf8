/// OpenSHMEM: the memory of windows, and the errors if it is missing or not started.
#include "tradewind/mpi/puts/shmem.hpp"

#include <cstdlib>
#include <string>
#include <string_view>

#include "support/messages.hpp"
#include "testing.hpp"
#include "tradewind/mpi/puts/arena.hpp"
#include "tradewind/mpi/puts/puts.hpp"

using namespace tradewind;
using support::message_of;
using support::says;

TEST_CASE("blocks of an arena do not overlap, fill gaps, and end with the memory") {
    mpi::BlockArena arena(1024);
    const Bytes first = arena.allocate(100);
    const Bytes second = arena.allocate(1);
    const Bytes third = arena.allocate(500);
    CHECK_EQ(first, 0);
    CHECK_EQ(second, 128);
    CHECK_EQ(third, 192);
    CHECK_EQ(arena.allocate(400), mpi::BlockArena::none);
    arena.release(first);
    CHECK_EQ(arena.allocate(129), 704);
    CHECK_EQ(arena.allocate(128), 0);
    CHECK_EQ(mpi::BlockArena().allocate(1), mpi::BlockArena::none);
}

TEST_CASE("puts by OpenSHMEM say what is missing") {
    if (!mpi::has_shmem()) {
        const auto what = message_of<ConfigError>([] { (void)mpi::put_backend("shmem"); });
        CHECK(says(what, "no shmem.h"));
        CHECK_EQ(message_of<ConfigError>([] { mpi::start_shmem(); }), what);
        return;
    }
    const char* const way = std::getenv("TRADEWIND_PUTS");
    const auto make = [] { (void)mpi::put_backend("shmem").make(MPI_COMM_SELF); };
    const bool started = way != nullptr && std::string_view(way) == "shmem";
    const auto what = message_of<ConfigError>(make);
    CHECK_EQ(says(what, "start_shmem() must be called first"), !started);
}
