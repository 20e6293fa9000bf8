/// Puts by the one-sided operations of MPI with passive target: one window for the memory and one
/// for the counters.
///
///     origin                         target
///     MPI_Put        ------------->  memory
///     MPI_Win_flush  <- complete --
///     MPI_Accumulate ------------->  counter + 1, read by MPI_Fetch_and_op
///
/// MPI does not order puts, so that the flush must come before the update of the counter. The flush
/// is delayed to the next wait of the origin, so that several puts are in flight at the same time.
#include <algorithm>

#include "tradewind/mpi/byte_type.hpp"
#include "tradewind/mpi/puts/puts.hpp"
#include "tradewind/mpi/watchdog/watchdog.hpp"

namespace tradewind::mpi {

namespace {

constexpr std::int64_t one = 1;

class RmaPuts final : public Puts {
public:
    explicit RmaPuts(MPI_Comm comm) : Puts(comm) {}

    void settle() override {
        if (pending_.empty()) return;
        const BlockingCall call("MPI_Win_flush of puts");
        for (const Pending& put : pending_) {
            check(MPI_Win_flush(put.to, windows_[put.window].memory), "MPI_Win_flush");
        }
        for (const Pending& put : pending_) {
            check(MPI_Accumulate(&one, 1, MPI_INT64_T, put.to, put.signal, 1, MPI_INT64_T, MPI_SUM,
                                 windows_[put.window].counters),
                  "MPI_Accumulate");
        }
        for (const Pending& put : pending_) {
            check(MPI_Win_flush(put.to, windows_[put.window].counters), "MPI_Win_flush");
        }
        pending_.clear();
    }
    void poll() override { progress(); }
    [[nodiscard]] bool needs_polling() const noexcept override { return false; }

    void finish() override {
        settle();
        const BlockingCall call("MPI_Win_free");
        for (Pair& pair : windows_) {
            for (MPI_Win* window : {&pair.memory, &pair.counters}) {
                check(MPI_Win_unlock_all(*window), "MPI_Win_unlock_all");
                check(MPI_Win_free(window), "MPI_Win_free");
            }
        }
        windows_.clear();
    }

private:
    struct Pair {
        MPI_Win memory;
        MPI_Win counters;
        /// The memory of a window whose buffer is null.
        std::unique_ptr<Scratch> scratch;
    };
    struct Pending {
        int to;
        std::int32_t signal;
        std::size_t window;
    };

    /// Allocates the window by MPI. Such memory can be shared within a node: puts are then plain
    /// copies, without the help of a target that may be waiting for a core.
    Buffer add_own_window(Bytes size, std::int32_t signals) override {
        Pair pair{MPI_WIN_NULL, MPI_WIN_NULL, nullptr};
        std::byte* memory = nullptr;
        const BlockingCall call("MPI_Win_allocate");
        check(MPI_Win_allocate(size, 1, MPI_INFO_NULL, comm_, static_cast<void*>(&memory),
                               &pair.memory),
              "MPI_Win_allocate");
        add_counters(std::move(pair), signals);
        return {memory, size};
    }

    void add_window(Buffer memory, std::int32_t signals) override {
        Pair pair{MPI_WIN_NULL, MPI_WIN_NULL, nullptr};
        std::byte* base = memory.data();
        if (base == nullptr && memory.size() > 0) {
            pair.scratch = std::make_unique<Scratch>();
            base = pair.scratch->at_least(memory.size());
        }
        const BlockingCall call("MPI_Win_create");
        check(MPI_Win_create(base, memory.size(), 1, MPI_INFO_NULL, comm_, &pair.memory),
              "MPI_Win_create");
        add_counters(std::move(pair), signals);
    }

    void add_counters(Pair pair, std::int32_t signals) {
        std::int64_t* counters = nullptr;
        constexpr int word = sizeof(std::int64_t);
        check(MPI_Win_allocate(MPI_Aint{word} * signals, word, MPI_INFO_NULL, comm_, &counters,
                               &pair.counters),
              "MPI_Win_allocate");
        std::fill_n(counters, signals, 0);
        for (MPI_Win window : {pair.memory, pair.counters}) {
            check(MPI_Win_set_errhandler(window, MPI_ERRORS_RETURN), "MPI_Win_set_errhandler");
            check(MPI_Win_lock_all(MPI_MODE_NOCHECK, window), "MPI_Win_lock_all");
            check(MPI_Win_sync(window), "MPI_Win_sync");
        }
        // No rank counts before all counters are zero.
        check(MPI_Barrier(comm_), "MPI_Barrier");
        windows_.push_back(std::move(pair));
    }

    MPI_Request start_checked(const Put& put, Scratch& scratch) override {
        const auto window = std::size_t(put.window.id);
        const std::byte* const data =
            put.data.is_null() ? scratch.at_least(put.data.size()) : put.data.data();
        const ByteType bytes(put.data.size());
        check(MPI_Put(data, bytes.count(), bytes.type(), put.to, put.offset, bytes.count(),
                      bytes.type(), windows_[window].memory),
              "MPI_Put");
        pending_.push_back({put.to, put.signal, window});
        return MPI_REQUEST_NULL;
    }

    std::int64_t count(Window window, std::int32_t signal) override {
        const Pair& pair = windows_[std::size_t(window.id)];
        std::int64_t result = 0;
        check(MPI_Fetch_and_op(&one, &result, MPI_INT64_T, rank_, signal, MPI_NO_OP, pair.counters),
              "MPI_Fetch_and_op");
        check(MPI_Win_flush(rank_, pair.counters), "MPI_Win_flush");
        check(MPI_Win_sync(pair.memory), "MPI_Win_sync");
        return result;
    }

    std::vector<Pair> windows_;
    std::vector<Pending> pending_;
};

}  // namespace

std::unique_ptr<Puts> make_rma_puts(MPI_Comm comm) {
    return std::make_unique<RmaPuts>(comm);
}

}  // namespace tradewind::mpi
