/// The blocks with which operations that have one block per rank are tested.
#pragma once

#include <string>
#include <vector>

#include "allreduce_cases.hpp"
#include "tradewind/comm/rank_blocks.hpp"

namespace tradewind {

inline constexpr Bytes word_size = sizeof(double);

/// Blocks of whole words: of equal size, or with one offset more than ranks.
struct BlockCase {
    std::string name;
    Bytes equal = 0;
    std::vector<Bytes> offsets = {};

    [[nodiscard]] RankBlocks blocks() const {
        return offsets.empty() ? RankBlocks(equal) : RankBlocks(std::span<const Bytes>(offsets));
    }
    /// Returns the number of words before the block of a rank.
    [[nodiscard]] std::size_t words_before(Rank rank) const {
        return std::size_t(blocks().offset(rank) / word_size);
    }
    [[nodiscard]] std::size_t words(Rank rank) const {
        return std::size_t(blocks().size(rank) / word_size);
    }
};

/// Returns the case in which the block of rank r has `words(r)` words.
template <class Words>
[[nodiscard]] BlockCase uneven_case(const std::string& name, Rank ranks, Words words) {
    BlockCase made{name, 0, {0}};
    for (Rank r = 0; r < ranks; ++r)
        made.offsets.push_back(made.offsets.back() + words(r) * word_size);
    return made;
}

/// Returns equal blocks, empty ones too; uneven ones, some of them empty, short and beyond the
/// eager limit; and blocks of which one alone has data.
[[nodiscard]] inline std::vector<BlockCase> block_cases(Rank ranks) {
    const auto drawn = [](Rank r) { return Bytes(mix(7, std::uint64_t(r)) % 5); };
    std::vector<BlockCase> cases{{"empty", 0}, {"equal", 3 * word_size}};
    cases.push_back(uneven_case("uneven", ranks, drawn));
    if (ranks <= 16)
        cases.push_back(uneven_case("long", ranks, [&](Rank r) { return 90 * drawn(r); }));
    cases.push_back(uneven_case("single", ranks, [&](Rank r) { return r == ranks / 2 ? 9 : 0; }));
    return cases;
}

/// Returns the words of one rank's block, and those of all.
[[nodiscard]] inline Vector block_of(const BlockCase& made, Rank rank) {
    Vector words;
    for (std::size_t i = 0; i < made.words(rank); ++i) words.push_back(whole_number(rank, i));
    return words;
}
[[nodiscard]] inline Vector all_blocks_of(const BlockCase& made, Rank ranks) {
    Vector words;
    for (Rank r = 0; r < ranks; ++r) {
        const Vector block = block_of(made, r);
        words.insert(words.end(), block.begin(), block.end());
    }
    return words;
}

/// Returns the first `bytes` bytes of `words`, which has one word more, so that no buffer is null.
[[nodiscard]] inline Buffer buffer_of(Vector& words, Bytes bytes) {
    return Buffer(std::span(words)).part(0, bytes);
}

/// Calls check(made, root) for all kinds of blocks, and with several roots if there are few ranks.
template <class Check>
void for_each_block_case(const std::vector<Rank>& rank_counts, Check check) {
    for (const Rank ranks : rank_counts) {
        for (const BlockCase& made : block_cases(ranks)) {
            const Rank step = ranks <= 13 ? 1 : ranks / 3;
            for (Rank root = 0; root < ranks; root += step) {
                CAPTURE(ranks, root, made.name);
                check(ranks, root, made);
            }
        }
    }
}

}  // namespace tradewind
