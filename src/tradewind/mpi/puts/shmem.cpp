/// Puts by OpenSHMEM: the data and then a note about them are written into symmetric memory of the
/// target, which copies the data into its window when it sees the note.
///
///     origin                              target
///     shmem_putmem  ----------------->    its place beside the window
///     shmem_putmem  ----------------->    note: offset, size, signal
///     shmem_fence, shmem_p  --------->    number of notes from this origin
///                                         copies, counts the signal
///
/// The copy is needed because a window can be any memory, not only symmetric memory; windows with
/// memory of their own need no copy. Each pair of processes has a ring of notes; an origin that
/// finds it full waits until the target has read some.
#include "tradewind/mpi/puts/shmem.hpp"

#include "tradewind/mpi/puts/puts.hpp"

#ifdef TRADEWIND_SHMEM

#include <shmem.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "tradewind/base/settings_text.hpp"
#include "tradewind/mpi/puts/arena.hpp"

namespace tradewind::mpi {

namespace {

constexpr std::int64_t ring = 64;

/// The symmetric memory of this process, at the same symmetric address on all processes.
struct Heap {
    bool started = false;
    std::byte* base = nullptr;
    BlockArena arena;
};
Heap& heap() {
    static Heap own;
    return own;
}

struct PutNote {
    Bytes offset;
    Bytes size;
    std::int64_t signal;
};
constexpr Bytes word = sizeof(std::int64_t);

/// The layout of the block of a window for `ranks` origins, as offsets in bytes.
struct Places {
    explicit Places(int ranks) noexcept : ranks_(ranks) {}
    /// Returns the place of the number of notes that origin r has written so far.
    [[nodiscard]] Bytes written(int r) const noexcept { return r * word; }
    /// Returns the place of the number of notes of origin r that the target has read.
    [[nodiscard]] Bytes read(int r) const noexcept { return (ranks_ + r) * word; }
    [[nodiscard]] Bytes note(int r, std::int64_t number) const noexcept {
        return 2 * ranks_ * word + (r * ring + number % ring) * Bytes(sizeof(PutNote));
    }
    [[nodiscard]] Bytes data() const noexcept { return note(int(ranks_), 0); }

private:
    std::int64_t ranks_;
};

std::int64_t* word_at(Bytes offset) {
    return reinterpret_cast<std::int64_t*>(heap().base + offset);
}

class ShmemPuts final : public Puts {
public:
    explicit ShmemPuts(MPI_Comm comm)
        : Puts(comm), places_(size_), elements_(static_cast<std::size_t>(size_)) {
        const int own = shmem_my_pe();
        check(MPI_Allgather(&own, 1, MPI_INT, elements_.data(), 1, MPI_INT, comm), "MPI_Allgather");
    }

    void settle() override {
        if (is_open_) shmem_quiet();
        is_open_ = false;
    }
    void poll() override {
        progress();
        for (ShmemWindow& target : windows_) read_notes(target);
    }
    [[nodiscard]] bool needs_polling() const noexcept override { return !windows_.empty(); }
    void finish() override {
        settle();
        // A rank that enters the barrier has completed all its puts, and reads its notes before it
        // leaves.
        MPI_Request request = MPI_REQUEST_NULL;
        check(MPI_Ibarrier(comm_, &request), "MPI_Ibarrier");
        complete(request, "MPI_Ibarrier, which ends the puts");
        poll();
        for (const ShmemWindow& target : windows_) heap().arena.release(target.blocks[own()]);
        windows_.clear();
    }

private:
    struct ShmemWindow {
        Buffer memory;
        std::vector<std::int64_t> counters;
        /// The offsets of the window's blocks in the heaps of all ranks.
        std::vector<Bytes> blocks;
        /// The numbers of notes that this rank has sent to each rank.
        std::vector<std::int64_t> sent;
    };
    [[nodiscard]] std::size_t own() const noexcept { return std::size_t(rank_); }

    /// Adds a window with memory in the symmetric heap, into which puts write directly.
    Buffer add_own_window(Bytes size, std::int32_t signals) override {
        add_window(Buffer(size), signals);
        ShmemWindow& target = windows_.back();
        target.memory = Buffer(heap().base + target.blocks[own()] + places_.data(), size);
        return target.memory;
    }

    void add_window(Buffer memory, std::int32_t signals) override {
        const Bytes block = heap().arena.allocate(places_.data() + memory.size());
        if (block != BlockArena::none) std::fill_n(word_at(block), 2 * size_, 0);
        ShmemWindow target{memory, std::vector<std::int64_t>(std::size_t(signals)),
                           std::vector<Bytes>(elements_.size()),
                           std::vector<std::int64_t>(elements_.size())};
        MPI_Request request = MPI_REQUEST_NULL;
        check(MPI_Iallgather(&block, 1, MPI_INT64_T, target.blocks.data(), 1, MPI_INT64_T, comm_,
                             &request),
              "MPI_Iallgather");
        complete(request, "MPI_Iallgather, which exposes a window");
        const auto full = std::ranges::find(target.blocks, BlockArena::none);
        if (full == target.blocks.end()) {
            windows_.push_back(std::move(target));
            return;
        }
        if (block != BlockArena::none) heap().arena.release(block);
        throw ConfigError(text("one-sided puts by OpenSHMEM: rank ", full - target.blocks.begin(),
                               " has no symmetric memory left for its window; set ",
                               "TRADEWIND_SHMEM_HEAP to more MiB"));
    }

    MPI_Request start_checked(const Put& put, Scratch& scratch) override {
        ShmemWindow& target = windows_[std::size_t(put.window.id)];
        const auto to = std::size_t(put.to);
        const int element = elements_[to];
        const Bytes block = target.blocks[to];
        const std::int64_t number = target.sent[to]++;
        wait_for_room(block, number, element);
        if (put.data.size() > 0) {
            const std::byte* const data =
                put.data.is_null() ? scratch.at_least(put.data.size()) : put.data.data();
            shmem_putmem(heap().base + block + places_.data() + put.offset, data,
                         std::size_t(put.data.size()), element);
        }
        const PutNote note{put.offset, put.data.size(), put.signal};
        shmem_putmem(heap().base + block + places_.note(rank_, number), &note, sizeof note,
                     element);
        shmem_fence();
        shmem_int64_p(word_at(block + places_.written(rank_)), number + 1, element);
        is_open_ = true;
        return MPI_REQUEST_NULL;
    }

    /// Waits until the target's ring has room for a note. Two ranks may wait for each other, hence
    /// both continue to read notes.
    void wait_for_room(Bytes block, std::int64_t number, int element) {
        if (number < ring) return;
        while (number - shmem_int64_g(word_at(block + places_.read(rank_)), element) >= ring) {
            settle();
            poll();
            give_way();
        }
    }

    void read_notes(ShmemWindow& target) {
        const Bytes block = target.blocks[own()];
        for (int from = 0; from < size_; ++from) {
            std::int64_t* const read = word_at(block + places_.read(from));
            const std::int64_t written =
                __atomic_load_n(word_at(block + places_.written(from)), __ATOMIC_ACQUIRE);
            for (; *read < written; __atomic_store_n(read, *read + 1, __ATOMIC_RELEASE)) {
                PutNote note{};
                std::memcpy(&note, heap().base + block + places_.note(from, *read), sizeof note);
                const std::byte* const come = heap().base + block + places_.data() + note.offset;
                const Buffer place = target.memory.part(note.offset, note.size);
                if (come != place.data()) copy(ConstBuffer(come, note.size), place);
                ++target.counters[std::size_t(note.signal)];
            }
        }
    }

    std::int64_t count(Window window, std::int32_t signal) override {
        ShmemWindow& target = windows_[std::size_t(window.id)];
        read_notes(target);
        return target.counters[std::size_t(signal)];
    }

    Places places_;
    /// The processing element (PE) of each rank.
    std::vector<int> elements_;
    std::vector<ShmemWindow> windows_;
    bool is_open_ = false;
};

/// Returns the largest code of all processes: 0 if all pass 0.
int worst(int code) {
    int result = 0;
    check(MPI_Allreduce(&code, &result, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD), "MPI_Allreduce");
    return result;
}

}  // namespace

bool has_shmem() noexcept {
    return true;
}

void prepare_shmem() noexcept {
    setenv("OMPI_MCA_opal_common_ucx_opal_mem_hooks", "0", 0);
}

void start_shmem(Bytes size) {
    if (heap().base != nullptr) return;
    int ranks = 0;
    check(MPI_Comm_size(MPI_COMM_WORLD, &ranks), "MPI_Comm_size");
    shmem_init();
    heap().started = true;
    if (const int seen = worst(shmem_n_pes() == ranks ? 0 : shmem_n_pes()); seen != 0) {
        throw ConfigError(text("OpenSHMEM sees ", seen, " processes where MPI sees ", ranks,
                               ": start the program by the launcher of its own Open MPI"));
    }
    heap().base = static_cast<std::byte*>(shmem_malloc(std::size_t(size)));
    if (worst(heap().base == nullptr ? 1 : 0) != 0) {
        throw ConfigError(
            text("OpenSHMEM has no ", size, " bytes of symmetric memory; set ",
                 "SHMEM_SYMMETRIC_SIZE to more, or TRADEWIND_SHMEM_HEAP to fewer MiB"));
    }
    heap().arena = BlockArena(size);
}

void start_shmem() {
    const char* const given = std::getenv("TRADEWIND_SHMEM_HEAP");
    std::int64_t mebibytes = 64;
    const bool right = given == nullptr || read_number(given, mebibytes);
    if (!right || mebibytes < 1 || mebibytes > (1 << 20)) {
        throw ConfigError(
            text("TRADEWIND_SHMEM_HEAP=", given, " is not a number of MiB, such as 64"));
    }
    start_shmem(mebibytes << 20);
}

void end_shmem() noexcept {
    if (!heap().started) return;
    if (heap().base != nullptr) shmem_free(heap().base);
    heap() = {};
    shmem_finalize();
}

std::unique_ptr<Puts> make_shmem_puts(MPI_Comm comm) {
    if (heap().base == nullptr) {
        throw ConfigError(
            "one-sided puts by OpenSHMEM: start_shmem() must be called first, by all "
            "processes of MPI_COMM_WORLD (TRADEWIND_PUTS=shmem does it)");
    }
    return std::make_unique<ShmemPuts>(comm);
}

}  // namespace tradewind::mpi

#else

namespace tradewind::mpi {

bool has_shmem() noexcept {
    return false;
}

void prepare_shmem() noexcept {}

void start_shmem(Bytes /*size*/) {
    (void)put_backend("shmem");
}

void start_shmem() {
    start_shmem(0);
}

void end_shmem() noexcept {}

}  // namespace tradewind::mpi

#endif
