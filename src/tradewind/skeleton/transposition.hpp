/// Transposition: the three alltoallv stages that turn grid space into spectral space, by 2-D
/// slabs.
///
/// cx * cy ranks, rank = row * cx + column. The axis that each number cuts, after each stage:
///
///              x     y     z       stage and its groups of ranks
///     (a)     cx    cy     -       grid space
///                                  xz: the cx ranks of each row; x becomes whole, z is cut
///     (b)      -    cy    cx       transform in x
///                                  xy: the cy ranks of each column; y becomes whole, x is cut
///     (c)     cy     -    cx       transform in y
///                                  yz: the cx ranks of each row; z becomes whole, y is cut
///     (d)     cy    cx     -       spectral space
///
/// A row in stage xz (columns: x; rows: z; digits: who holds the point), cx = 3:
///
///     z  0 1 2        0 0 0
///     |  0 1 2   ->   1 1 1
///     v  0 1 2        2 2 2
///
/// Therefore cx may be at most min(nx, ny, nz) and cy at most min(nx, ny). No number needs to
/// divide another one. With direct algorithms a stage costs each rank c - 1 messages and (c - 1)/c
/// of its data, c = cx or cy. Source: zheng2018, section 3.1 and figure 3.
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

/// The partitions (a)..(d) of the data.
enum class Space : std::uint8_t { a, b, c, d };

inline constexpr std::array<const char*, 3> stage_names{"xz", "xy", "yz"};

/// The transposition and its algorithms; one object for all ranks of a run.
struct Transposition {
    Extents grid{};
    ProcessGrid processes;
    Elements elements;
    const AlltoallvAlgorithm* algorithm = nullptr;
    Options options;
    /// The algorithm and options of each stage if they differ; else empty.
    std::vector<Choice<AlltoallvAlgorithm>> by_stage{};
    /// The number of runs of the chain (a) -> (d).
    std::int64_t repeat = 1;
    /// True if each chain is followed by its reverse, (d) -> (a).
    bool backward = false;
    /// The only stage to run (0 = xz, 1 = xy, 2 = yz), as if its data were in place; all three if
    /// negative.
    std::int64_t only_stage = -1;
    /// The computation of a rank for each of its points after their arrival in a space: transforms.
    std::array<PointWork, 4> work{};
};

[[nodiscard]] ProcessLimits transposition_limits(const Extents& grid) noexcept;

/// Returns the points that `rank` holds in `space`.
[[nodiscard]] Box transposed_box(const Transposition& plan, Rank rank, Space space);

/// Sizes of one stage's blocks. The dimension that becomes whole is cut among the senders, the one
/// that becomes cut among the receivers. All share their part of the third one.
class SlabBlocks final : public Blocks {
public:
    /// Makes the sizes; `per_point` is the bytes for one point of the two exchanged dimensions.
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
    /// The number of ranks that exchange with one another.
    Rank group = 1;
    /// The bytes of a block, averaged over all ranks.
    Bytes block = 0;
};
[[nodiscard]] StageShape stage_shape(const Transposition& plan, std::size_t stage);

/// Runs the chain. `field` holds the rank's part of (a) before and its part of the last partition
/// afterwards. Without it, the same messages are sent with null buffers.
Task transpose(Comm& comm, const Transposition& plan, LocalField* field = nullptr);

[[nodiscard]] Estimate estimate(const Transposition& plan);

}  // namespace tradewind::skeleton
