/// The common part of all implementations of puts: the windows of all ranks and the checks; and
/// their table.
#include "tradewind/mpi/puts/puts.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "tradewind/mpi/library.hpp"
#include "tradewind/mpi/watchdog/watchdog.hpp"

namespace tradewind::mpi {

namespace {

constexpr PutsEntry table[] = {
    {"rma", make_rma_puts, "MPI_Put, flush, then an atomic addition to the counter"},
    {"messages", make_message_puts, "packed messages that the target unpacks while it waits"},
#ifdef TRADEWIND_SHMEM
    {"shmem", make_shmem_puts, "OpenSHMEM, into symmetric memory that the target copies from"},
#endif
};

}  // namespace

std::span<const PutsEntry> put_backends() {
    return table;
}

const PutsEntry& put_backend(std::string_view name) {
    // In MPICH 4.0.2, the version of Debian 12, polling a counter of a passive target never ends.
    if (name == "auto") name = library_version().starts_with("MPICH 4.0") ? "messages" : "rma";
    const auto found = std::ranges::find(table, name, &PutsEntry::name);
    if (found != std::end(table)) return *found;
    std::string known = "auto";
    for (const PutsEntry& entry : table) known += text(", ", entry.name);
    const char* const why =
        name == "shmem" ? " (this MPI had no shmem.h when the program was built)" : "";
    throw ConfigError(text("one-sided puts: there is no implementation \"", name, '"', why,
                           "; known are: ", known));
}

Puts::Puts(MPI_Comm comm) : comm_(comm) {
    check(MPI_Comm_rank(comm, &rank_), "MPI_Comm_rank");
    check(MPI_Comm_size(comm, &size_), "MPI_Comm_size");
    const BlockingCall call("MPI_Comm_split_type, which starts the puts");
    MPI_Comm node = MPI_COMM_NULL;
    int ranks = 0;
    check(MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node),
          "MPI_Comm_split_type");
    check(MPI_Comm_size(node, &ranks), "MPI_Comm_size");
    check(MPI_Comm_free(&node), "MPI_Comm_free");
    is_crowded_ = ranks > sysconf(_SC_NPROCESSORS_ONLN);
}

void Puts::give_way() const {
    constexpr std::chrono::microseconds while_others_run{10};
    if (is_crowded_) {
        std::this_thread::sleep_for(while_others_run);
    } else {
        std::this_thread::yield();
    }
}

void Puts::complete(MPI_Request request, const char* action) {
    const BlockingCall call(action);
    int done = 0;
    while (true) {
        check(MPI_Test(&request, &done, MPI_STATUS_IGNORE), "MPI_Test");
        if (done != 0) return;
        poll();
        give_way();
    }
}

void Puts::progress() {
    int found = 0;
    check(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm_, &found, MPI_STATUS_IGNORE), "MPI_Iprobe");
}

Window Puts::expose(Buffer memory, std::int32_t signals) {
    const WindowExtent mine{memory.size(), std::max(signals, 0)};
    add_window(memory, std::int32_t(mine.signals));
    return share(mine);
}

OwnWindow Puts::allocate(Bytes size, std::int32_t signals) {
    const WindowExtent mine{size, std::max(signals, 0)};
    const Buffer memory = add_own_window(size, std::int32_t(mine.signals));
    return {share(mine), memory};
}

Window Puts::share(const WindowExtent& mine) {
    std::vector<WindowExtent> all(static_cast<std::size_t>(size_));
    constexpr int bytes = sizeof(WindowExtent);
    MPI_Request request = MPI_REQUEST_NULL;
    check(MPI_Iallgather(&mine, bytes, MPI_BYTE, all.data(), bytes, MPI_BYTE, comm_, &request),
          "MPI_Iallgather");
    complete(request, "MPI_Iallgather, which exposes a window");
    exposed_.push_back(std::move(all));
    return Window{std::int32_t(exposed_.size()) - 1};
}

MPI_Request Puts::start(const Put& put, Scratch& scratch) {
    const auto window = std::size_t(put.window.id);
    if (window >= exposed_.size()) {
        throw ConfigError(text("rank ", rank_, " puts into window ", put.window.id,
                               ", which has not been exposed"));
    }
    const WindowExtent& there = exposed_[window][std::size_t(put.to)];
    const Bytes end = put.offset + put.data.size();
    if (put.offset < 0 || end > there.size || put.signal < 0 || put.signal >= there.signals) {
        throw Error(text("put from rank ", rank_, ": bytes ", put.offset, "..", end, ", signal ",
                         put.signal, " do not fit the window of rank ", put.to, " (", there.size,
                         " bytes, ", there.signals, " signals)"));
    }
    return start_checked(put, scratch);
}

std::int64_t Puts::arrived(Window window, std::int32_t signal) {
    const auto id = std::size_t(window.id);
    if (id >= exposed_.size() || signal < 0 || signal >= exposed_[id][std::size_t(rank_)].signals) {
        throw ConfigError(text("rank ", rank_, " waits for signal ", signal, " of window ",
                               window.id, ", which it has not exposed"));
    }
    return count(window, signal);
}

}  // namespace tradewind::mpi
