/// Workspaces: what one call has used is there for the next one of about the same size.
#include "tradewind/comm/workspace.hpp"

#include <cstdint>
#include <cstring>
#include <vector>

#include "algorithm_cases.hpp"
#include "support/ranks.hpp"
#include "tradewind/comm/arena.hpp"

using namespace tradewind;

namespace {

constexpr std::size_t mebibyte = std::size_t{1} << 20;

/// Fills memory of one length after another, and returns how often it was where it was before.
Task use_workspaces(Comm& comm, Bytes size, int calls, int& again) {
    const std::byte* before = nullptr;
    for (int call = 0; call < calls; ++call) {
        Workspace memory(comm, size - call);
        std::memset(memory.data(), call, std::size_t(memory.buffer().size()));
        if (memory.data() == before) ++again;
        before = memory.data();
        Workspace moved = std::move(memory);
        CHECK(memory.data() == nullptr);  // NOLINT(bugprone-use-after-move)
        CHECK_EQ(moved.buffer().size(), size - call);
        co_await comm.compute({1.0, 0});
    }
}

}  // namespace

TEST_CASE("a workspace is where it was in the call before") {
    const Rank ranks = some_ranks(1);
    std::vector<int> again(std::size_t(ranks), 0);
    run_ranks(ranks, [&](Comm& comm) {
        return use_workspaces(comm, Bytes(mebibyte) - 16, 5, again[std::size_t(comm.rank())]);
    });
    for (const Rank rank : visible(ranks)) CHECK_EQ(again[std::size_t(rank)], 4);
}

TEST_CASE("an empty workspace has no memory") {
    const Workspace none;
    CHECK(none.data() == nullptr);
    CHECK_EQ(none.buffer().size(), Bytes(0));
}

TEST_CASE("vectors of any length have memory of their own") {
    Arena arena;
    for (const std::size_t octave : {11U, 12U, 17U, 20U}) {
        std::vector<std::pair<std::byte*, std::size_t>> all;
        for (std::size_t part = 0; part < 9; ++part) {
            for (const int shift : {-1, 0, 1}) {
                const std::size_t bytes =
                    (std::size_t{1} << octave) * (8 + part) / 8 + std::size_t(shift + 1) + 64;
                auto* const memory = static_cast<std::byte*>(arena.allocate(bytes));
                std::memset(memory, int(all.size()), bytes);
                all.emplace_back(memory, bytes);
            }
        }
        for (std::size_t i = 0; i < all.size(); ++i) {
            CHECK_EQ(int(all[i].first[0]), int(i));
            CHECK_EQ(int(all[i].first[all[i].second - 1]), int(i));
        }
        for (const auto& [memory, bytes] : all) arena.deallocate(memory, bytes);
    }
}

TEST_CASE("an arena keeps no more than its limit") {
    Arena arena;
    std::vector<void*> all;
    for (int i = 0; i < 5; ++i) all.push_back(arena.allocate(64 * mebibyte));
    for (void* const memory : all) arena.deallocate(memory, 64 * mebibyte);
    // Four of them are 256 MiB; the fifth was given back to the system.
    CHECK_EQ(arena.kept(), 4 * 64 * mebibyte);
    for (int i = 0; i < 4; ++i)
        all[std::size_t(i)] = arena.allocate(64 * mebibyte - std::size_t(i));
    CHECK_EQ(arena.kept(), std::size_t(0));
    for (int i = 0; i < 4; ++i)
        arena.deallocate(all[std::size_t(i)], 64 * mebibyte - std::size_t(i));
}
