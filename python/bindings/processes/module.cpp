/// The module tradewind._processes: the processes that mpiexec has started, for runs that they
/// share; separate from _core, which also works without MPI.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <cstring>
#include <memory>

#include "mpi_process_group.hpp"
#include "tradewind/mpi/library.hpp"

namespace nb = nanobind;

namespace tradewind::bindings {

namespace {

/// The objects that exist between `start` and `finish`.
struct World {
    World() : group(MPI_COMM_WORLD), exchange(MPI_COMM_WORLD) {}

    MpiProcessGroup group;
    mpi::ProcessExchange exchange;
};

std::unique_ptr<World>& world() {
    static std::unique_ptr<World> only;
    return only;
}

/// Starts MPI and returns the number of this process and the number of processes; collective.
nb::tuple start() {
    // A simulation may have threads, of which only the first one calls MPI.
    int level = MPI_THREAD_SINGLE;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &level);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    world() = std::make_unique<World>();
    return nb::make_tuple(world()->exchange.process(), world()->exchange.processes());
}

/// Returns the sim::ProcessGroup for `_core.simulate`, valid until `finish`.
nb::capsule group() {
    sim::ProcessGroup* const shared = &world()->group;
    return nb::capsule(shared, "tradewind.ProcessGroup");
}

/// Returns the bytes that each process has passed, by process; collective.
nb::list exchange(const nb::bytes& own) {
    mpi::ProcessExchange& exchange = world()->exchange;
    const auto count = std::size_t(exchange.processes());
    ByteArray mine(own.size());
    if (own.size() > 0) std::memcpy(mine.data(), own.c_str(), own.size());
    std::vector<ByteArray> out(count, mine);
    std::vector<ByteArray> in(count);
    std::vector<std::int64_t> numbers(count);
    {
        const nb::gil_scoped_release no_gil;
        exchange.exchange(0, out, numbers, in);
    }
    in[std::size_t(exchange.process())] = std::move(mine);
    nb::list all;
    for (const ByteArray& bytes : in) all.append(nb::bytes(bytes.data(), bytes.size()));
    return all;
}

void finish() {
    world().reset();
    MPI_Finalize();
}

void abort_all(int status) {
    MPI_Abort(MPI_COMM_WORLD, status);
}

}  // namespace

}  // namespace tradewind::bindings

NB_MODULE(_processes, module) {
    using namespace tradewind::bindings;
    module.doc() = "The processes that mpiexec has started.";
    module.def("start", &start, "Starts MPI; returns the number of this process and of all.");
    module.def("group", &group, "Lets the processes share a simulation of _core.");
    module.def("exchange", &exchange, nanobind::arg("own"),
               "Sends bytes to all processes; returns those of each.");
    module.def("finish", &finish, "Ends MPI.");
    module.def("abort", &abort_all, nanobind::arg("status"), "Ends all processes at once.");
    module.def("library", [] { return std::string(tradewind::mpi::library_version()); });
}
