/// tradewind-model: a mini-model with real data, as mpiexec starts it. The first rank tells of the
/// run in lines of JSON, one object each.
///
///     tradewind-model pstswm FOLDER [KEY=VALUE...]     settings of make_plan; fields go to FOLDER;
///                                                      method = tuned where TRADEWIND_TUNING is set
///
/// The last line is {"done": {"library": ..., "ranks": ..., "messages": ..., "bytes": ...,
/// "step_s": ...}}, with the median time of the steps but the first.
#include <array>
#include <iostream>
#include <memory>

#include "tradewind/base/settings_text.hpp"
#include "tradewind/comm/allreduce/allreduce.hpp"
#include "tradewind/models/pstswm/stream.hpp"
#include "tradewind/mpi/library.hpp"
#include "tradewind/mpi/mpi_comm.hpp"
#include "tradewind/mpi/runtime.hpp"
#include "tuning_of_environment.hpp"

namespace tradewind {

namespace {

using Words = std::span<const std::string>;

/// Messages and bytes of all ranks.
using Sent = std::array<std::int64_t, 2>;

Sent sent_by_all(Comm& world) {
    const auto& mpi = dynamic_cast<const mpi::MpiComm&>(world);
    Sent sent{mpi.messages_sent(), mpi.bytes_sent()};
    const Allreduce sums{Buffer(std::span<std::int64_t>(sent)), sum<std::int64_t>()};
    const auto& algorithm = allreduce_algorithm("recursive_doubling");
    mpi::run(world, [&](Comm& comm) { return algorithm.run(comm, sums, {}); });
    return sent;
}

int run_pstswm(Comm& world, const pstswm::Plan& plan, const std::string& folder) {
    pstswm::Stream stream(plan, folder, std::cout);
    mpi::run(world, [&](Comm& comm) { return pstswm::run_model(comm, plan, stream); });
    const auto [messages, bytes] = sent_by_all(world);
    if (world.rank() > 0) return 0;
    std::cout << text(R"({"done": {"library": ")", mpi::library_version(), R"(", "ranks": )",
                      world.size(), R"(, "messages": )", messages, R"(, "bytes": )", bytes,
                      R"(, "step_s": )", stream.median_step(), "}}")
              << std::endl;
    return 0;
}

mpi::Body prepare(Words words, Rank ranks) {
    if (words.size() < 2 || words[0] != "pstswm")
        throw ConfigError("usage: tradewind-model pstswm FOLDER [KEY=VALUE...]");
    Settings settings = read_settings(words.subspan(2));
    tune_by_environment("method", settings);
    const auto plan = std::make_shared<const pstswm::Plan>(pstswm::make_plan(settings, ranks));
    return [plan, folder = words[1]](Comm& world) { return run_pstswm(world, *plan, folder); };
}

}  // namespace

}  // namespace tradewind

int main(int count, char** arguments) {
    return tradewind::mpi::run_main(count, arguments, tradewind::prepare);
}
