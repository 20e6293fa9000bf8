/// DgCore: the discontinuous Galerkin core on the elements of one rank.
///
/// A step has three Runge-Kutta stages that preserve strong stability (Shu and Osher). A stage
/// exchanges the values at the edges, and with viscosity also those of the gradients. What a stage
/// computes between send and receive is a choice: nothing, or all that needs no neighbour.
/// Sources: Nair, Choi and Tufo (2009); jamroz2016, Algorithm 3.
#pragma once

#include <optional>

#include "tradewind/models/homme/core.hpp"
#include "tradewind/models/homme/dg/dg_filter.hpp"
#include "tradewind/models/homme/dg/dg_kernels.hpp"
#include "tradewind/models/homme/remap.hpp"

namespace tradewind::homme {

class DgCore final : public Core {
public:
    DgCore(Comm& comm, const HommePlan& plan, bool has_data);

    Task begin(Comm& comm) override;
    Task step(Comm& comm, std::int64_t step) override;
    Task finish(Comm& comm) override;

    [[nodiscard]] const double* mass(std::int64_t element) const override;
    [[nodiscard]] const double* surface_geopotential(std::int64_t element) const override;
    void find_vorticity(std::int64_t element, Lanes* result) const override;

private:
    /// Computes first * now + second * (of + dt tendency(of)) into `result`.
    Task stage(Comm& comm, double first, double second, Fields& of, Fields& result);
    Task prepare(Comm& comm, const Fields& of);
    Task exchange_gradients(Comm& comm, const Fields& of);

    DgDerivatives derivatives_;
    std::vector<DgElement> elements_;
    Fields work_;
    /// The values of the neighbours at the edges, and pressure, geopotential and their gradients.
    Fields traces_;
    Fields auxiliary_;
    Fields gradients_;
    Fields gradient_traces_;
    std::optional<DgScratch> scratch_;
    std::optional<Remap> remap_;
    std::optional<DgFilter> filter_;
    MeshExchange exchange_;
    std::optional<MeshExchange> gradient_exchange_;
};

}  // namespace tradewind::homme
