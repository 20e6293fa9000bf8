/// Kernels: the speed of computation, measured while all ranks work at the same time.
#pragma once

#include <functional>

#include "tradewind/measure/measurement.hpp"

namespace tradewind::measure {

/// A piece of a model's work, which one rank repeats.
struct Kernel {
    std::string name;
    /// The operations of one call, counted from its loops.
    double flops = 0.0;
    Bytes memory = 0;
    std::function<void()> run;
};
/// A function that makes the kernels of a rank, each with its own memory.
using MakeKernels = std::function<std::vector<Kernel>()>;

/// Makes a program that adds rows of the time of one call, with the values `flops` and
/// `memory_bytes`. If `payload` is false, simulated time passes instead of the work. The program
/// also measures the kernel `stream`, a = b + s c on vectors larger than most caches, and copies
/// and sums between messages (local_work.hpp).
[[nodiscard]] Program make_kernels(const Settings& settings, MakeKernels others, Rows& rows);

}  // namespace tradewind::measure
