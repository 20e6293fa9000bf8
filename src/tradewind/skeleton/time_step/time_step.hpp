/// TimeStep: a whole semi-implicit semi-Lagrangian time step of a spectral and of a grid-point
/// model.
///
/// Both compute on their grid points (physics, departure points, interpolation) and exchange the
/// halo of the semi-Lagrangian scheme. Then they solve the Helmholtz equation:
///
///     spectral      grid space -> xz -> F(x) -> xy -> F(y) -> yz -> spectral space: solve
///                   and back, all fields; no iteration, since waves are eigenfunctions
///     grid point    N iterations of GCR(k), each with a halo of one point, two allreduces (one in
///                   the pipelined form), M^-1, A and updates of vectors
///
/// Cost of computation per point, in operations and bytes moved:
///
///     transform along n points      2.5 log2(n) and 16 for each field   real FFT, read and written once
///     message of a transposition    16 packed and 16 unpacked for each field
///     spectral solution             4 nz and 16: to vertical modes and back, with matrices in caches
///     M^-1 and A                    21 and 40, one number: the line preconditioner and seven points
///     updates and scalar products   2 and 16 each; 3 k + 5 per iteration of GCR(k), 5 k + 7 pipelined
///
/// The last two rows use the counts of models/helmholtz. Sources: zheng2018, sections 3 and 5.
#pragma once

#include "tradewind/skeleton/gcr.hpp"
#include "tradewind/skeleton/semi_lagrangian/on_demand_halo.hpp"
#include "tradewind/skeleton/transposition.hpp"

namespace tradewind::skeleton {

/// The computation and the halo that both models begin with.
struct AdvectionStep {
    PointWork grid_point;
    OnDemandHalo halo;
};

struct SpectralStep {
    AdvectionStep advection;
    /// The transpositions of all transformed fields, there and back.
    Transposition transforms;
    std::int64_t repeat = 1;
};

struct GridPointStep {
    AdvectionStep advection;
    Gcr solver;
    std::int64_t repeat = 1;
};

/// Returns the rows of the table above, for `fields` fields.
[[nodiscard]] std::array<PointWork, 4> transform_work(const Extents& grid, std::int64_t fields,
                                                      Bytes element);
[[nodiscard]] PointWork operator_work(Bytes element) noexcept;
[[nodiscard]] PointWork vector_work(Bytes element, std::int64_t restart,
                                    bool is_pipelined) noexcept;

Task step(Comm& comm, const SpectralStep& plan);
Task step(Comm& comm, const GridPointStep& plan);

[[nodiscard]] Estimate estimate(const SpectralStep& plan, Rank ranks);
[[nodiscard]] Estimate estimate(const GridPointStep& plan, Rank ranks);

}  // namespace tradewind::skeleton
