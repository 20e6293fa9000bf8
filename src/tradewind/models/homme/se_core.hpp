/// SeCore: the spectral-element core on the elements of one rank.
///
/// A step has five Runge-Kutta stages (Kinnmark and Gray), each with one exchange, then substeps of
/// hyperviscosity with two exchanges each. Every few steps the layers return to the reference
/// levels.
///
///     u1 = u0 + dt/5 R(u0)        u4 = u0 + 2 dt/3 R(u3)
///     u2 = u0 + dt/5 R(u1)        u5 = (5 u1 - u0) / 4 + 3 dt/4 R(u4)
///     u3 = u0 + dt/3 R(u2)
#pragma once

#include <optional>

#include "tradewind/models/homme/plan.hpp"
#include "tradewind/models/homme/remap.hpp"
#include "tradewind/models/homme/se_kernels.hpp"

namespace tradewind::homme {

/// The state of one rank and its time stepping. Without data it sends the messages and charges the
/// computation of the same steps.
class SeCore {
public:
    SeCore(Comm& comm, const HommePlan& plan, bool has_data);

    /// Assembles the mass and sets the initial state.
    Task begin(Comm& comm);
    /// Makes step number `step`, counted from 0.
    Task step(Comm& comm, std::int64_t step);

    [[nodiscard]] const HommePlan& plan() const noexcept { return *plan_; }
    [[nodiscard]] const Fields& fields() const noexcept { return now_; }
    [[nodiscard]] Fields& fields() noexcept { return now_; }
    [[nodiscard]] const std::vector<SeElement>& elements() const noexcept { return elements_; }
    [[nodiscard]] const SeDerivatives& derivatives() const noexcept { return derivatives_; }
    [[nodiscard]] const SeColumn& column() const noexcept { return column_; }
    /// Returns the number of the rank's first element on the curve.
    [[nodiscard]] std::int64_t first_element() const noexcept { return first_; }

private:
    /// Computes stage(of) into `result`, assembles and divides by the mass.
    Task stage(Comm& comm, const SeStage& stage, const Fields& b, const Fields& of, Fields& result);
    Task assemble(Comm& comm, Fields& fields);
    Task apply_viscosity(Comm& comm);
    void set_initial_state();

    const HommePlan* plan_;
    std::int64_t first_;
    std::int64_t count_;
    bool has_data_;
    SeColumn column_;
    SeDerivatives derivatives_;
    std::vector<SeElement> elements_;
    Fields now_;
    Fields first_stage_;
    Fields work_;
    std::optional<SeScratch> scratch_;
    std::optional<Remap> remap_;
    MeshExchange exchange_;
};

}  // namespace tradewind::homme
