/// SeCore: the spectral-element core on the elements of one rank.
///
/// A step has five Runge-Kutta stages (Kinnmark and Gray), each with one exchange, then substeps of
/// hyperviscosity with two exchanges each. Every few steps the layers of the primitive equations
/// return to the reference levels.
///
///     u1 = u0 + dt/5 R(u0)        u4 = u0 + 2 dt/3 R(u3)
///     u2 = u0 + dt/5 R(u1)        u5 = (5 u1 - u0) / 4 + 3 dt/4 R(u4)
///     u3 = u0 + dt/3 R(u2)
#pragma once

#include <optional>

#include "tradewind/models/homme/core.hpp"
#include "tradewind/models/homme/remap.hpp"
#include "tradewind/models/homme/se/se_kernels.hpp"

namespace tradewind::homme {

class SeCore final : public Core {
public:
    SeCore(Comm& comm, const HommePlan& plan, bool has_data);

    /// Assembles the mass and sets the initial state.
    Task begin(Comm& comm) override;
    Task step(Comm& comm, std::int64_t step) override;
    Task finish(Comm& comm) override;

    [[nodiscard]] const double* mass(std::int64_t element) const override;
    [[nodiscard]] const double* surface_geopotential(std::int64_t element) const override;
    void find_vorticity(std::int64_t element, Lanes* result) const override;

private:
    /// Computes stage(of) into `result`, assembles and divides by the mass.
    Task stage(Comm& comm, const SeStage& stage, const Fields& b, const Fields& of, Fields& result);
    Task assemble(Comm& comm, Fields& fields);
    Task apply_viscosity(Comm& comm);

    SeDerivatives derivatives_;
    std::vector<SeElement> elements_;
    Fields first_stage_;
    Fields work_;
    std::optional<SeScratch> scratch_;
    std::optional<Remap> remap_;
    MeshExchange exchange_;
};

}  // namespace tradewind::homme
