/// The comparison of calls by an allreduce of their hashes; texts are exchanged only if they
/// differ.
#include "tradewind/capi/same_call.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "tradewind/comm/allgather/allgather.hpp"
#include "tradewind/comm/allreduce/allreduce.hpp"

namespace tradewind::capi {

namespace {

/// A text of limited length, ended by zeros.
using CallText = std::array<char, 256>;

/// Returns a positive hash (FNV-1a), whose negative is a number as well.
std::int64_t hash_of(const std::string& words) noexcept {
    std::uint64_t hash = 14695981039346656037ULL;
    for (const char letter : words) hash = (hash ^ std::uint8_t(letter)) * 1099511628211ULL;
    return std::int64_t(hash >> 2);
}

bool are_equal(mpi::MpiComm& comm, std::int64_t hash) {
    std::array<std::int64_t, 2> largest{hash, -hash};
    mpi::run(comm, [&](Comm& on) {
        return allreduce_algorithm("recursive_doubling")
            .run(on, {Buffer(std::span<std::int64_t>(largest)), maximum<std::int64_t>()}, {});
    });
    return largest[0] == -largest[1];
}

std::vector<CallText> calls_of_all(mpi::MpiComm& comm, const std::string& call) {
    CallText own{};
    std::copy_n(call.begin(), std::min(call.size(), own.size() - 1), own.begin());
    std::vector<CallText> all(std::size_t(comm.size()));
    mpi::run(comm, [&](Comm& on) {
        return allgather_algorithm("ring").run(
            on, {ConstBuffer(std::span<const char>(own)), Buffer(std::span(all))}, {});
    });
    return all;
}

}  // namespace

void require_same_call(tradewind_comm& handle, const std::string& call) {
    mpi::MpiComm& comm = handle.mpi;
    if (!handle.checks_counts || comm.size() == 1 || are_equal(comm, hash_of(call))) return;
    const std::vector<CallText> all = calls_of_all(comm, call);
    const auto other =
        std::ranges::find_if(all, [&](const CallText& one) { return one != all[0]; });
    if (other == all.end()) throw ConfigError("the ranks make different calls");
    throw ConfigError(text("rank 0 calls ", all[0].data(), ", but rank ", other - all.begin(),
                           " calls ", other->data()));
}

const char* name_of_type(int type) noexcept {
    constexpr std::array names{"TRADEWIND_BYTE", "TRADEWIND_INT32", "TRADEWIND_INT64",
                               "TRADEWIND_FLOAT", "TRADEWIND_DOUBLE"};
    return type >= 1 && type <= int(names.size()) ? names[std::size_t(type - 1)] : "no type";
}

const char* name_of_operation(int operation) noexcept {
    constexpr std::array names{"TRADEWIND_SUM", "TRADEWIND_MAX", "TRADEWIND_MIN"};
    return operation >= 1 && operation <= int(names.size()) ? names[std::size_t(operation - 1)]
                                                            : "no operation";
}

}  // namespace tradewind::capi
