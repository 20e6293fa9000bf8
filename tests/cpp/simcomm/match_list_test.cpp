/// Tests of MatchList against a list that is searched from its beginning.
#include <algorithm>
#include <vector>

#include "testing.hpp"
#include "tradewind/base/random.hpp"
#include "tradewind/simcomm/rank/match_list.hpp"

using namespace tradewind;
using namespace tradewind::simcomm;

namespace {

/// A driver that posts and takes receives at random, up to `longest` of them at a time.
struct Driven {
    explicit Driven(std::uint32_t longest) : longest_(longest) {}

    MatchKey random_key(std::uint64_t bits) const {
        return {std::uint32_t(bits % sources), std::uint32_t(bits >> 32 & 1U),
                std::int32_t(bits >> 40 & 1U)};
    }
    void post(const MatchKey& key) {
        const std::uint32_t index = pool.take(0);
        pool[index].peer = key.source;
        pool[index].envelope = {key.context, key.tag};
        list.append(pool, index);
        plain.push_back(index);
    }
    void take(const MatchKey& key) {
        const auto first = std::ranges::find_if(
            plain, [&](std::uint32_t index) { return match_key(pool[index]) == key; });
        const std::uint32_t expected = first == plain.end() ? none : *first;
        CHECK_EQ(list.take(pool, key), expected);
        if (expected == none) return;
        plain.erase(first);
        pool.give(0, expected);
        ++taken;
    }
    void run(std::uint64_t seed) {
        for (std::uint64_t step = 0; step < 4 * std::uint64_t{longest_}; ++step) {
            const std::uint64_t bits = mix(seed, step);
            const bool grows = step < 2 * std::uint64_t{longest_};
            if (plain.size() < longest_ && (bits >> 50) % 4 < (grows ? 3U : 1U)) {
                post(random_key(bits));
            } else {
                take(random_key(bits));
            }
            CHECK_EQ(list.size(), plain.size());
        }
        while (!plain.empty()) take(match_key(pool[plain.back()]));
        CHECK_EQ(list.size(), 0U);
    }

    static constexpr std::uint32_t sources = 40;
    RequestPool pool{1};
    MatchList<RequestRecord> list;
    std::vector<std::uint32_t> plain;
    int taken = 0;

private:
    std::uint32_t longest_;
};

}  // namespace

TEST_CASE("a match list of any length gives the oldest receive of a key") {
    for (const std::uint32_t longest : {1U, 3U, 4U, 5U, 63U, 65U, 1000U, 5000U}) {
        CAPTURE(longest);
        Driven driven(longest);
        driven.run(longest);
        driven.run(longest + 1);
        CHECK(driven.taken > int(longest));
    }
}
