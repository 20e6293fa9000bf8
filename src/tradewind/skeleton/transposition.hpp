/// Transposition: the three alltoallv stages that turn grid space into spectral space, by 2-D
/// slabs.
///
/// cx * cy ranks, rank = row * cx + column. What is cut by which number, after each stage:
///
///              x     y     z       stage (who exchanges with whom)
///     (a)     cx    cy     -       grid space
///                                  xz: the cx ranks of each row; x becomes whole, z is cut
///     (b)      -    cy    cx       transform in x
///                                  xy: the cy ranks of each column; y becomes whole, x is cut
///     (c)     cy     -    cx       transform in y
///                                  yz: the cx ranks of each row; z becomes whole, y is cut
///     (d)     cy    cx     -       spectral space
///
/// In stage xz a row looks like this (columns: x; rows: z; digits: who holds the point), cx = 3:
///
///     z  0 1 2        0 0 0
///     |  0 1 2   ->   1 1 1
///     v  0 1 2        2 2 2
///
/// So cx may be at most min(nx, ny, nz) and cy at most min(nx, ny); nothing needs to divide
/// anything. With direct algorithms a stage costs each rank c - 1 messages and (c - 1)/c of its
/// data, c = cx or cy. Source: zheng2018, section 3.1 and figure 3.
#pragma once

#include <array>

#include "tradewind/base/partition.hpp"
#include "tradewind/comm/alltoallv/alltoallv.hpp"
#include "tradewind/comm/process_grid.hpp"
#include "tradewind/comm/tuning/tuning.hpp"
#include "tradewind/program/estimate.hpp"
#include "tradewind/skeleton/box.hpp"
#include "tradewind/skeleton/point_work.hpp"

namespace tradewind::skeleton {

/// Which of the partitions (a)..(d) the data are in.
enum class Space : std::uint8_t { a, b, c, d };

inline constexpr std::array<const char*, 3> stage_names{"xz", "xy", "yz"};

/// What is to be transposed, and how; one object for all ranks of a run.
struct Transposition {
    Extents grid{};
    ProcessGrid processes;
    Elements elements;
    const AlltoallvAlgorithm* algorithm = nullptr;
    Options options;
    /// Instead of these two where they differ from stage to stage; empty if they do not.
    std::vector<Choice<AlltoallvAlgorithm>> by_stage{};
    /// How often the chain (a) -> (d) is run.
    std::int64_t repeat = 1;
    /// Whether each chain is followed by its reverse, (d) -> (a).
    bool backward = false;
    /// Only this stage (0 = xz, 1 = xy, 2 = yz), as if its data were in place; all three if
    /// negative.
    std::int64_t only_stage = -1;
    /// What a rank computes for each of its points once they have arrived in a space: transforms.
    std::array<PointWork, 4> work{};
};

[[nodiscard]] ProcessLimits transposition_limits(const Extents& grid) noexcept;

/// The points that `rank` holds in `space`.
[[nodiscard]] Box transposed_box(const Transposition& plan, Rank rank, Space space);

/// Sizes of one stage's blocks: the dimension that becomes whole is cut among the senders, the one
/// that becomes cut among the receivers, and all share their piece of the third one.
class SlabBlocks final : public Blocks {
public:
    /// `per_point`: bytes for one point of the two exchanged dimensions.
    SlabBlocks(const Partition& senders, const Partition& receivers, Bytes per_point,
               Rank me) noexcept
        : senders_(senders), receivers_(receivers), per_point_(per_point), me_(me) {}

    [[nodiscard]] Bytes send_size(Rank to) const override { return between(me_, to); }
    [[nodiscard]] Bytes send_offset(Rank to) const override {
        return senders_.size(me_) * receivers_.start(to) * per_point_;
    }
    [[nodiscard]] Bytes receive_size(Rank from) const override { return between(from, me_); }
    [[nodiscard]] Bytes receive_offset(Rank from) const override {
        return senders_.start(from) * receivers_.size(me_) * per_point_;
    }
    [[nodiscard]] Bytes between(Rank from, Rank to) const override {
        return senders_.size(from) * receivers_.size(to) * per_point_;
    }
    [[nodiscard]] Bytes everywhere() const override {
        return senders_.is_even() && receivers_.is_even() ? between(0, 0) : unknown;
    }

private:
    Partition senders_;
    Partition receivers_;
    Bytes per_point_;
    Rank me_;
};

/// One of the three stages as an alltoallv.
struct StageShape {
    /// Ranks that exchange with one another.
    Rank group = 1;
    /// Bytes of a block, on average over all ranks.
    Bytes block = 0;
};
[[nodiscard]] StageShape stage_shape(const Transposition& plan, std::size_t stage);

/// Runs the chain. `field` holds the rank's part of (a) before and its part of the last partition
/// afterwards; without it, the same messages are sent with null buffers.
Task transpose(Comm& comm, const Transposition& plan, LocalField* field = nullptr);

[[nodiscard]] Estimate estimate(const Transposition& plan);

}  // namespace tradewind::skeleton
