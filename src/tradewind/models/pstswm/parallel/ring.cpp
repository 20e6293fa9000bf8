/// Blocks of levels that travel around the ring.
#include "tradewind/models/pstswm/parallel/ring.hpp"

#include <functional>
#include <utility>

#include "tradewind/comm/protocol/exchange.hpp"

namespace tradewind::pstswm {

namespace {

constexpr Tag ring_tag = 4;

[[nodiscard]] bool has_equal_blocks(const ArrayLayout& layout) {
    return layout.plan().sending == Sending::pstswm;
}

/// Returns how many numbers a block has: three quantities with real and imaginary parts.
[[nodiscard]] std::int64_t block_numbers(const ArrayLayout& layout, Rank block) {
    const ShallowWaterPlan& plan = layout.plan();
    if (has_equal_blocks(layout))
        return Partition(6 * layout.coefficients() * plan.levels, plan.mesh.py).size(block);
    return 6 * layout.coefficients() * layout.levels().size(block);
}

/// Returns the memory of a block, or only its size.
[[nodiscard]] Buffer block_buffer(const ArrayLayout& layout, Rank block,
                                  std::vector<double>& numbers, bool is_real) {
    const std::int64_t count = block_numbers(layout, block);
    if (!is_real) return Buffer(count * Bytes(sizeof(double)));
    numbers.resize(std::size_t(count));
    return Buffer(std::span(numbers));
}

/// Returns the work of one block, in either direction.
[[nodiscard]] Work block_work(const ArrayLayout& layout, std::int64_t fields, Rank block) {
    if (!has_equal_blocks(layout)) return layout.legendre_work(fields, layout.levels().size(block));
    const Work all = layout.legendre_work(fields, layout.plan().levels);
    const Rank parts = layout.plan().mesh.py;
    return {all.flops / double(parts), all.memory / parts};
}

[[nodiscard]] Rank back(Rank rank, Rank distance, Rank ranks) {
    return ((rank - distance) % ranks + ranks) % ranks;
}

void add(const std::vector<double>& numbers, std::vector<double>& sums) {
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += numbers[i];
}

}  // namespace

namespace {

/// One rank's part in a stage of the ring. One block goes to the next rank, another one comes from
/// the previous rank, and `work` needs neither. Without a protocol the two overlap, as under (2,3).
struct RingStage {
    std::function<Buffer()> out;
    std::function<Buffer()> in;
    std::function<Task(Comm&)> work;
};

Task run_stage(Comm& column, Delivery delivery, const RingStage& stage) {
    if (delivery.protocol.is_default()) delivery.protocol = Protocol(2, 3);
    const Rank p = column.size();
    MessagePairs pairs;
    pairs.count = 1;
    pairs.tag = ring_tag;
    pairs.pair = [&](std::int64_t) {
        return MessagePair{(column.rank() + 1) % p, stage.out(), back(column.rank(), 1, p),
                           stage.in(), shifts_first(column.rank(), 1)};
    };
    pairs.meanwhile = stage.work;
    co_await exchange(column, pairs, delivery);
}

Task inverse_block(Comm& column, const ArrayLayout& layout, const std::vector<double>& here,
                   Rank block, ShallowWaterModel* model) {
    if (model != nullptr) model->block_inverse(here, block);
    co_await column.compute(block_work(layout, layout.plan().inverse_fields(), block));
}

/// A block of levels whose sums are computed.
struct LevelBlock {
    LevelBlock(Rank b, std::int64_t f, bool start, std::vector<double>& result) noexcept
        : block(b), fields(f), is_start(start), numbers(result) {}

    Rank block;
    std::int64_t fields;
    bool is_start;
    std::vector<double>& numbers;
};

Task forward_block(Comm& column, const ArrayLayout& layout, LevelBlock part,
                   ShallowWaterModel* model) {
    if (model != nullptr) model->block_forward(part.block, part.is_start, part.numbers);
    co_await column.compute(block_work(layout, part.fields, part.block));
}

}  // namespace

Task ring_inverse(Comm& column, const ArrayLayout& layout, Delivery delivery, const State* state,
                  ShallowWaterModel* model) {
    const Rank p = column.size();
    const bool is_real = model != nullptr;
    std::vector<double> here;
    std::vector<double> next;
    if (is_real) here = packed(*state);
    Rank block = column.rank();
    RingStage stage;
    stage.out = [&] { return block_buffer(layout, block, here, is_real); };
    stage.in = [&] { return block_buffer(layout, back(block, 1, p), next, is_real); };
    stage.work = [&](Comm& on) { return inverse_block(on, layout, here, block, model); };
    for (Rank s = 0; s + 1 < p; ++s) {
        co_await run_stage(column, delivery, stage);
        std::swap(here, next);
        block = back(block, 1, p);
    }
    co_await inverse_block(column, layout, here, block, model);
}

Task ring_forward(Comm& column, const ArrayLayout& layout, Delivery delivery, RingForward data) {
    ShallowWaterModel* const model = data.model;
    const Rank p = column.size();
    const bool is_real = model != nullptr;
    std::vector<double> sums;
    std::vector<double> next;
    std::vector<double> part;
    Rank block = back(column.rank(), 1, p);
    co_await forward_block(column, layout, LevelBlock(block, data.fields, data.is_start, sums),
                           model);
    RingStage stage;
    stage.out = [&] { return block_buffer(layout, back(block, -1, p), sums, is_real); };
    stage.in = [&] { return block_buffer(layout, block, next, is_real); };
    stage.work = [&](Comm& on) {
        return forward_block(on, layout, LevelBlock(block, data.fields, data.is_start, part),
                             model);
    };
    for (Rank s = 1; s < p; ++s) {
        block = back(block, 1, p);
        co_await run_stage(column, delivery, stage);
        if (!is_real) continue;
        add(next, part);
        std::swap(sums, part);
    }
    if (is_real) model->tendency = std::move(sums);
}

}  // namespace tradewind::pstswm
