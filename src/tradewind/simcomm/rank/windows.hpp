/// Windows: the memory that a simulated rank has opened to puts, and the puts that have arrived in
/// it.
#pragma once

#include <memory>
#include <vector>

#include "tradewind/base/paged_array.hpp"
#include "tradewind/comm/comm.hpp"
#include "tradewind/simcomm/rank/accesses.hpp"

namespace tradewind::simcomm {

class Windows {
public:
    /// Opens `memory`, and takes the puts that came before it was open; `now` is the rank's time.
    Window expose(const RankContext& rank, Buffer memory, std::int32_t signals, Picoseconds now);
    /// Returns memory of the rank's own; null unless `has_data`.
    [[nodiscard]] Buffer allocate(Bytes size, bool has_data);
    /// Takes a put that has arrived at `time`, or keeps it until its window is open. Returns the
    /// signal that it has raised, or null.
    const Signal* take_put(const RankContext& rank, sim::MessageId id, Picoseconds time);
    /// Returns the accesses to the rank by the calls of recorded programs.
    [[nodiscard]] Accesses& accesses() noexcept { return accesses_; }
    /// Returns a signal; null if it is not exposed.
    [[nodiscard]] const Signal* signal(std::size_t window, std::size_t number);

private:
    struct Exposed {
        Buffer memory;
        PagedArray<Signal> signals;
    };

    Accesses accesses_;
    std::vector<Exposed> windows_;
    /// The puts that came before their window was exposed.
    Chain early_puts_;
    /// The memory behind windows without memory of the program.
    std::vector<std::unique_ptr<std::byte[]>> own_memory_;
};

}  // namespace tradewind::simcomm
