/// tradewind-model: a mini-model with real data, started by mpiexec; the first rank prints the
/// progress and the result of the run as lines of JSON, one object each.
///
///     tradewind-model MODEL FOLDER [KEY=VALUE...]     settings of its make_plan; fields go to FOLDER
///
/// pstswm prints its steps and output times (see Stream). semi_lagrangian prints its steps, then
/// {"found": ...}, the report of the run, and writes the tracer to FOLDER/tracer.bin; helmholtz
/// prints only its report. The last line is {"done": {"library": ..., "ranks": ..., "messages":
/// ..., "bytes": ...}}, for pstswm with "step_s", the median time of the steps except the first. If
/// TRADEWIND_TUNING is set, a setting may be "tuned".
#include <array>
#include <iostream>
#include <map>
#include <memory>

#include "tradewind/base/settings_text.hpp"
#include "tradewind/comm/allreduce/allreduce.hpp"
#include "tradewind/models/catalogue.hpp"
#include "tradewind/models/helmholtz/report.hpp"
#include "tradewind/models/pstswm/stream.hpp"
#include "tradewind/models/semi_lagrangian/report.hpp"
#include "tradewind/mpi/library.hpp"
#include "tradewind/mpi/mpi_comm.hpp"
#include "tradewind/mpi/runtime.hpp"
#include "tuning_of_environment.hpp"

namespace tradewind {

namespace {

using Words = std::span<const std::string>;

/// The messages and bytes of all ranks.
using Sent = std::array<std::int64_t, 2>;

Sent sent_by_all(Comm& world) {
    const auto& mpi = dynamic_cast<const mpi::MpiComm&>(world);
    Sent sent{mpi.messages_sent(), mpi.bytes_sent()};
    const Allreduce sums{Buffer(std::span<std::int64_t>(sent)), sum<std::int64_t>()};
    const auto& algorithm = allreduce_algorithm("recursive_doubling");
    mpi::run(world, [&](Comm& comm) { return algorithm.run(comm, sums, {}); });
    return sent;
}

void tell(const Comm& world, const std::string& line) {
    if (world.rank() == 0) std::cout << line << std::endl;
}

void tell_end(Comm& world, const std::string& more = {}) {
    const auto [messages, bytes] = sent_by_all(world);
    tell(world,
         text(R"({"done": {"library": ")", mpi::library_version(), R"(", "ranks": )", world.size(),
              R"(, "messages": )", messages, R"(, "bytes": )", bytes, more, "}}"));
}

mpi::Body prepare_pstswm(const Settings& settings, const std::string& folder, Rank ranks) {
    const auto plan = std::make_shared<const pstswm::Plan>(pstswm::make_plan(settings, ranks));
    return [plan, folder](Comm& world) {
        pstswm::Stream stream(*plan, folder, std::cout);
        mpi::run(world, [&](Comm& comm) { return pstswm::run_model(comm, *plan, stream); });
        tell_end(world, text(R"(, "step_s": )", stream.median_step()));
        return 0;
    };
}

mpi::Body prepare_advection(const Settings& settings, const std::string& folder, Rank ranks) {
    using namespace semi_lagrangian;
    const auto plan = std::make_shared<const Plan>(make_plan(settings, ranks));
    return [plan, file = folder + "/tracer.bin"](Comm& world) {
        models::StepLines lines(plan->steps, std::cout);
        Result result;
        mpi::run(world, [&](Comm& comm) {
            return run_model(comm, *plan, result, [&](std::int64_t step) { lines.stepped(step); });
        });
        const std::span<const double> tracer(result.tracer);
        if (world.rank() == 0 && !models::write_numbers(file, std::span(&tracer, 1)))
            throw Error(text("semi_lagrangian: the tracer cannot be written to ", file));
        tell(world, text(R"({"found": )", report(*plan, result), "}"));
        tell_end(world);
        return 0;
    };
}

mpi::Body prepare_solver(const Settings& settings, const std::string& /*folder*/, Rank ranks) {
    using namespace helmholtz;
    const auto plan = std::make_shared<const Plan>(make_plan(settings, ranks, most_iterations));
    return [plan](Comm& world) {
        Solution solution;
        mpi::run(world, [&](Comm& comm) { return solve(comm, *plan, solution); });
        tell(world, text(R"({"found": )", report(*plan, solution), "}"));
        tell_end(world);
        return 0;
    };
}

mpi::Body prepare(Words words, Rank ranks) {
    using Model = mpi::Body (*)(const Settings&, const std::string&, Rank);
    const std::map<std::string, Model> bodies = {{"pstswm", prepare_pstswm},
                                                 {"semi_lagrangian", prepare_advection},
                                                 {"helmholtz", prepare_solver}};
    const auto body = words.size() < 2 ? bodies.end() : bodies.find(words[0]);
    if (body == bodies.end())
        throw ConfigError(
            "usage: tradewind-model pstswm|semi_lagrangian|helmholtz FOLDER [KEY=VALUE...]");
    Settings settings = read_settings(words.subspan(2));
    tune_by_environment(models::find(words[0])->choice, settings);
    return body->second(settings, words[1], ranks);
}

}  // namespace

}  // namespace tradewind

int main(int count, char** arguments) {
    return tradewind::mpi::run_main(count, arguments, tradewind::prepare);
}
