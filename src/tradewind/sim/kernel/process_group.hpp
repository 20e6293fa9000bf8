/// ProcessGroup: the processes that share one simulation. The program that starts them hands it in.
#pragma once

#include <cstdint>
#include <span>

#include "tradewind/base/byte_array.hpp"

namespace tradewind::sim {

/// The group exchanges bytes collectively: all processes call `exchange` the same number of times,
/// each from one thread.
class ProcessGroup {
public:
    virtual ~ProcessGroup() = default;
    [[nodiscard]] virtual int process() const noexcept = 0;
    [[nodiscard]] virtual int processes() const noexcept = 0;

    /// Tells `number` to every process and sends `out[i]` to process i. Returns when everything
    /// from the others is here: in `numbers` (its own number, too) and in `in`. All spans have
    /// processes() entries; `out[process()]` is not looked at, `in[process()]` becomes empty.
    virtual void exchange(std::int64_t number, std::span<const ByteArray> out,
                          std::span<std::int64_t> numbers, std::span<ByteArray> in) = 0;
};

}  // namespace tradewind::sim
