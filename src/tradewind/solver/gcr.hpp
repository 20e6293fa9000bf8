/// The loops of GCR(k) and pipelined GCR(k): everything that is sent in a solve.
///
/// The loops solve a GcrSystem. One with data computes; one without only says what computing costs.
/// So a model, the same model at a million ranks and the pattern `gcr` run the same loop.
/// One pass:
///
///     GCR(k)             M^-1, halo, A
///                        project;  reduce          unless there are no earlier directions
///                        extend;   reduce
///                        update
///
///     pipelined GCR(k)   project;  start to reduce
///                        M^-1, halo, A             the reduction progresses between their parts
///                        finish to reduce;  update
#pragma once

#include "tradewind/comm/allreduce/allreduce.hpp"

namespace tradewind::solver {

/// The system on one rank. Its functions return the work that the loop charges; without data they
/// do nothing else.
class GcrSystem {
public:
    GcrSystem() = default;
    GcrSystem(const GcrSystem&) = delete;
    GcrSystem& operator=(const GcrSystem&) = delete;
    virtual ~GcrSystem() = default;

    /// Computes one part of M^-1.
    [[nodiscard]] virtual Work precondition(std::int64_t part) = 0;
    /// Brings the neighbours' points that A needs.
    [[nodiscard]] virtual Task exchange(Comm& comm) = 0;
    /// Computes one part of A.
    [[nodiscard]] virtual Work apply(std::int64_t part) = 0;

    /// Returns the number of directions that the next one is made orthogonal to.
    [[nodiscard]] virtual std::int64_t directions() const = 0;
    /// Computes the scalar products with these directions; pipelined, all those of a pass.
    [[nodiscard]] virtual Work project() = 0;
    /// Makes the next direction and computes its scalar products; not called if pipelined.
    [[nodiscard]] virtual Work extend() { return {}; }
    /// Returns the products just computed, which are replaced by their sums over all ranks.
    [[nodiscard]] virtual Buffer sums() = 0;
    /// Takes the step along the newest direction, which it makes first if pipelined.
    [[nodiscard]] virtual Work update() = 0;
    [[nodiscard]] virtual bool is_done() const = 0;
};

/// The differences between runs of the loop.
struct GcrLoop {
    /// The blocking reduction; a pipelined one is recursive_k with the radix of the options.
    const AllreduceAlgorithm* algorithm = nullptr;
    const Options& options;
    bool is_pipelined = false;
    /// The numbers of parts of M^-1, computed before the halo exchange, and of A, after it.
    std::int64_t parts_before = 1;
    std::int64_t parts_after = 1;
    /// True if a pipelined solve begins by applying M^-1 and A, without a reduction.
    bool has_set_up = true;
    const char* reduction_phase = "reduction";
    /// True if each computation is a phase, not all that lies between two reductions.
    bool is_phase_per_work = false;
};

/// Solves the system.
Task solve(Comm& comm, const GcrLoop& loop, GcrSystem& system);

}  // namespace tradewind::solver
