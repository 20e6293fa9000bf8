/// Kernels: the speed of computation, measured while all ranks work at the same time.
///
/// The rows have the time of one call, with the values `flops` and `memory_bytes`. If `payload` is
/// false, simulated time passes instead of the work. Beside the kernels of the platform these are
/// `stream`, a = b + s c on vectors larger than most caches, and copies and sums between messages
/// (local_work.hpp).
#include "tradewind/measure/measurement.hpp"

#include <memory>

#include "tradewind/measure/local_work.hpp"
#include "tradewind/measure/timing.hpp"

namespace tradewind::measure {

namespace {

/// The length of the three vectors of `stream`: 16 MiB each, more than most caches hold.
constexpr std::size_t stream_length = std::size_t{1} << 21;

/// Makes the triad of McCalpin's STREAM: two loads and one store per element.
Kernel stream() {
    using Vector = std::vector<double>;
    const auto a = std::make_shared<Vector>(stream_length);
    const auto b = std::make_shared<Vector>(stream_length, 1.0);
    const auto c = std::make_shared<Vector>(stream_length, 2.0);
    const auto triad = [=] {
        const double scale = 3.0;
        double* const to = a->data();
        const double* const one = b->data();
        const double* const two = c->data();
        for (std::size_t i = 0; i < stream_length; ++i) to[i] = one[i] + scale * two[i];
    };
    return {"stream", 2.0 * double(stream_length), Bytes(3 * sizeof(double) * stream_length),
            triad};
}

Task run_kernel(Comm& comm, const Kernel& kernel, bool real) {
    if (real) kernel.run();
    // A kernel that moves bytes is bound by the memory, not by its operations.
    Work work{kernel.flops, kernel.memory};
    if (kernel.memory > 0) work.flops = 0.0;
    co_await comm.compute(work);
}

Task run(Comm& comm, const MakeKernels& others, Repetitions repetitions, bool real, Rows* rows) {
    std::vector<Kernel> kernels = others ? others() : std::vector<Kernel>();
    kernels.push_back(stream());
    std::vector<double> seconds;
    for (const Kernel& kernel : kernels) {
        const Program body = [&](Comm& on) { return run_kernel(on, kernel, real); };
        co_await timed(comm, body, repetitions, seconds);
        if (rows == nullptr) continue;
        rows->push_back({kernel.name,
                         kernel.memory,
                         seconds,
                         {{"flops", kernel.flops}, {"memory_bytes", double(kernel.memory)}}});
    }
    co_await time_local_work(comm, repetitions, real, rows);
}

constexpr const Declaration* settings_of_kernels[] = {&given::repetitions, &given::warm_up,
                                                      &given::payload};

Program make_kernels(const Settings& settings, Rank /*ranks*/, const Platform& platform,
                     Rows& rows) {
    const Repetitions repeated = read_repetitions(settings);
    const bool real = given::payload.of(settings);
    return [=, &rows, others = platform.kernels](Comm& comm) {
        return run(comm, others, repeated, real, comm.rank() == 0 ? &rows : nullptr);
    };
}

}  // namespace

extern const MeasurementEntry kernels_entry;
constinit const MeasurementEntry kernels_entry = {
    .name = "kernels",
    .summary = "speed of memory and of pieces of models, on all ranks at once",
    .settings = settings_of_kernels,
    .prepare = make_kernels,
};

}  // namespace tradewind::measure
