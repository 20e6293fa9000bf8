/// Kernels: speed of computation, measured beside messages: every rank works at the same time.
#pragma once

#include <functional>

#include "tradewind/measure/measurement.hpp"

namespace tradewind::measure {

/// A piece of a model's work, as one rank does it again and again.
struct Kernel {
    std::string name;
    /// What one call does, counted from its loops.
    double flops = 0.0;
    Bytes memory = 0;
    std::function<void()> run;
};
/// Made on every rank, with memory of its own.
using MakeKernels = std::function<std::vector<Kernel>()>;

/// Rows of the time of one call, with the values `flops` and `memory_bytes`. Where `payload` is
/// false, simulated time passes instead of the work. The kernel `stream` is added: a = b + s c on
/// vectors that no cache holds. So are copies and sums in the midst of messages (local_work.hpp).
[[nodiscard]] Program make_kernels(const Settings& settings, MakeKernels others, Rows& rows);

}  // namespace tradewind::measure
