/// Blocks of levels on their way round the ring.
#include "tradewind/models/pstswm/parallel/ring.hpp"

#include <utility>

namespace tradewind::pstswm {

namespace {

constexpr Tag ring_tag = 4;

/// Numbers of a block: three quantities, real and imaginary parts.
[[nodiscard]] std::int64_t block_numbers(const Layout& layout, Rank block) {
    return 6 * layout.coefficients() * layout.levels().size(block);
}

/// The memory of a block, or only its size.
[[nodiscard]] Buffer block_buffer(const Layout& layout, Rank block, std::vector<double>& numbers,
                                  bool is_real) {
    const std::int64_t count = block_numbers(layout, block);
    if (!is_real) return Buffer(count * Bytes(sizeof(double)));
    numbers.resize(std::size_t(count));
    return Buffer(std::span(numbers));
}

[[nodiscard]] Rank back(Rank rank, Rank distance, Rank ranks) {
    return ((rank - distance) % ranks + ranks) % ranks;
}

void add(const std::vector<double>& numbers, std::vector<double>& sums) {
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += numbers[i];
}

}  // namespace

Task ring_inverse(Comm& column, const Layout& layout, const State* state, Model* model) {
    const Rank p = column.size();
    const Rank r = column.rank();
    const bool is_real = model != nullptr;
    std::vector<double> here;
    std::vector<double> next;
    if (is_real) here = packed(*state);
    for (Rank s = 0; s < p; ++s) {
        const Rank block = back(r, s, p);
        const Rank coming = back(r, s + 1, p);
        Request requests[2];
        if (s + 1 < p && p > 1) {
            requests[0] =
                column.irecv(back(r, 1, p), block_buffer(layout, coming, next, is_real), ring_tag);
            requests[1] =
                column.isend((r + 1) % p, block_buffer(layout, block, here, is_real), ring_tag);
        }
        if (is_real) model->block_inverse(here, block);
        co_await column.compute(layout.legendre_work(inverse_fields, layout.levels().size(block)));
        co_await column.wait_all(requests);
        std::swap(here, next);
    }
}

Task ring_forward(Comm& column, const Layout& layout, std::int64_t fields, bool is_start,
                  Model* model) {
    const Rank p = column.size();
    const Rank r = column.rank();
    const bool is_real = model != nullptr;
    std::vector<double> sums;
    std::vector<double> next;
    std::vector<double> part;
    for (Rank s = 0; s < p; ++s) {
        const Rank sent = back(r, s, p);
        const Rank block = back(r, s + 1, p);
        Request requests[2];
        if (s > 0) {
            requests[0] =
                column.irecv(back(r, 1, p), block_buffer(layout, block, next, is_real), ring_tag);
            requests[1] =
                column.isend((r + 1) % p, block_buffer(layout, sent, sums, is_real), ring_tag);
        }
        if (is_real) model->block_forward(block, is_start, part);
        co_await column.compute(layout.legendre_work(fields, layout.levels().size(block)));
        co_await column.wait_all(requests);
        if (!is_real) continue;
        if (s > 0) add(next, part);
        std::swap(sums, part);
    }
    if (is_real) model->tendency = std::move(sums);
}

}  // namespace tradewind::pstswm
