/// Single operations, repeated, as programs.
#include "tradewind/program/pattern.hpp"
#include "tradewind/skeleton/operations.hpp"
#include "tradewind/skeleton/read_plan.hpp"

namespace tradewind::skeleton {

namespace {

constexpr auto neighbors =
    declare::whole("neighbors", "neighbours in the grid of ranks: 4 beside, or 8 around", 4)
        .within(4, 8);

constexpr const Declaration* settings_of_vector[] = {&shared::bytes, &shared::repeat};
constexpr const Declaration* settings_of_neighbor[] = {&shared::bytes, &shared::repeat,
                                                       &shared::processes, &neighbors};

[[nodiscard]] std::vector<OperationUse> uses_of_allreduces(const RepeatedAllreduce& plan,
                                                           Rank ranks) {
    return {{"allreduce", ranks, plan.bytes, "", plan.repeat, ""}};
}
[[nodiscard]] std::vector<OperationUse> uses_of_alltoallvs(const RepeatedAlltoallv& plan,
                                                           Rank ranks) {
    return {{"alltoallv", ranks, plan.blocks.send_size(0), "", plan.repeat, ""}};
}
[[nodiscard]] std::vector<OperationUse> uses_of_neighbors(const RepeatedNeighbor& plan,
                                                          Rank ranks) {
    return {{"neighbor", ranks, plan.bytes, "", plan.repeat, ""}};
}

Task start_allreduces(Comm& comm, const RepeatedAllreduce& plan) {
    return allreduce(comm, plan);
}
Task start_alltoallvs(Comm& comm, const RepeatedAlltoallv& plan) {
    return alltoallv(comm, plan);
}
Task start_neighbors(Comm& comm, const RepeatedNeighbor& plan) {
    return exchange_neighbors(comm, plan);
}
Task start_pingpong(Comm& comm, const Pingpong& plan) {
    return pingpong(comm, plan);
}

/// The default of `bytes` for programs that are made without the checks of input files.
constexpr Bytes one_number = 8;

RepeatedAllreduce read_allreduces(const Settings& settings, Rank ranks) {
    refuse_unknown("allreduce", settings, {settings_of_vector, algorithm_settings::any_transport});
    RepeatedAllreduce plan;
    plan.bytes = shared::bytes.of(settings, one_number);
    if (plan.bytes % Bytes(sizeof(double)) != 0) {
        throw ConfigError(text("bytes = ", plan.bytes, " is not a multiple of ", sizeof(double),
                               ", the size of the doubles that are added"));
    }
    const auto choice = read_allreduce(settings, ranks, plan.bytes);
    plan.algorithm = choice.algorithm;
    plan.options = choice.options;
    plan.repeat = shared::repeat.of(settings);
    return plan;
}

RepeatedAlltoallv read_alltoallvs(const Settings& settings, Rank ranks) {
    refuse_unknown("alltoallv", settings, {settings_of_vector, algorithm_settings::any_transport});
    RepeatedAlltoallv plan;
    const Bytes bytes = shared::bytes.of(settings, one_number);
    check_bytes(double(ranks) * double(bytes));
    plan.blocks = UniformBlocks(bytes);
    const auto choice = read_alltoallv(settings, ranks, bytes);
    plan.algorithm = choice.algorithm;
    plan.options = choice.options;
    plan.repeat = shared::repeat.of(settings);
    return plan;
}

RepeatedNeighbor read_neighbors(const Settings& settings, Rank ranks) {
    refuse_unknown("neighbor", settings, {settings_of_neighbor, algorithm_settings::two_sided});
    RepeatedNeighbor plan;
    plan.bytes = shared::bytes.of(settings, one_number);
    check_bytes(8.0 * double(ranks) * double(plan.bytes));
    plan.processes = read_processes(settings, ranks, {{"ranks", ranks}, {"ranks", ranks}});
    const std::int64_t count = neighbors.of(settings);
    if (count != 4 && count != 8)
        throw ConfigError(text("neighbors = ", count, ": expected 4 or 8"));
    plan.corners = count == 8;
    plan.repeat = shared::repeat.of(settings);
    const auto choice = read_neighbor(settings, ranks, plan.bytes);
    plan.algorithm = choice.algorithm;
    plan.options = choice.options;
    return plan;
}

Pingpong read_pingpong(const Settings& settings, Rank ranks) {
    refuse_unknown("pingpong", settings, {settings_of_vector});
    if (ranks < 2) throw ConfigError(text("pingpong: ranks = ", ranks, " must be at least 2"));
    return {shared::bytes.of(settings, one_number), shared::repeat.of(settings)};
}

}  // namespace

extern const ProgramEntry allreduce_entry;
extern const ProgramEntry alltoallv_entry;
extern const ProgramEntry neighbor_entry;
extern const ProgramEntry pingpong_entry;
constinit const ProgramEntry allreduce_entry =
    pattern_entry<read_allreduces, start_allreduces, uses_of_allreduces>(
        "allreduce", "repeated sum of a vector of doubles", settings_of_vector, "allreduce");
constinit const ProgramEntry alltoallv_entry =
    pattern_entry<read_alltoallvs, start_alltoallvs, uses_of_alltoallvs>(
        "alltoallv", "repeated exchange of equal blocks among all ranks", settings_of_vector,
        "alltoallv");
constinit const ProgramEntry neighbor_entry =
    pattern_entry<read_neighbors, start_neighbors, uses_of_neighbors>(
        "neighbor", "repeated messages to the neighbours in a grid of ranks", settings_of_neighbor,
        "neighbor");
constinit const ProgramEntry pingpong_entry = pattern_entry<read_pingpong, start_pingpong>(
    "pingpong", "messages to and fro between the first and the last rank", settings_of_vector);

}  // namespace tradewind::skeleton
