/// WaveCore: the spectra of one rank and their time steps.
#pragma once

#include <memory>
#include <vector>

#include "tradewind/comm/task.hpp"
#include "tradewind/models/fvwam/plan.hpp"
#include "tradewind/models/fvwam/sources/integrals.hpp"

namespace tradewind::fvwam {

/// The sum of the spectra of a cell: its energy in m2, and that energy times the unit vector of its
/// direction.
struct CellEnergy {
    double energy = 0.0;
    double east = 0.0;
    double north = 0.0;
};

/// The cells of one rank. Without data a core sends the messages and charges the computation of the
/// same steps.
class WaveCore {
public:
    virtual ~WaveCore() = default;

    /// Sets the sea of the beginning and all that the steps need.
    virtual Task begin(Comm& comm) = 0;
    /// Makes step number `step`, counted from 0.
    virtual Task step(Comm& comm, std::int64_t step) = 0;
    /// Waits for the last messages.
    virtual Task finish(Comm& comm) = 0;

    [[nodiscard]] virtual SeaState state(std::int64_t own) const = 0;
    [[nodiscard]] virtual CellEnergy energy(std::int64_t own) const = 0;
    /// Sets `values` to the spectrum.
    virtual void spectrum(std::int64_t own, double* values) const = 0;
    /// Returns the wind of the last source terms.
    [[nodiscard]] virtual WindVector wind(std::int64_t own) const = 0;
    /// Sets `numbers` to all that a restart needs, and takes it from there after `step` steps.
    virtual void save(std::vector<double>& numbers) const = 0;
    virtual void restore(std::int64_t step, const std::vector<double>& numbers) = 0;

    [[nodiscard]] const WavePlan& plan() const noexcept { return *plan_; }
    [[nodiscard]] const RankCells& cells() const noexcept { return cells_; }

protected:
    WaveCore(const Comm& comm, const WavePlan& plan);

    const WavePlan* plan_;
    RankCells cells_;
};

/// Makes the core of the plan's precision.
[[nodiscard]] std::unique_ptr<WaveCore> make_core(Comm& comm, const WavePlan& plan, bool has_data);

}  // namespace tradewind::fvwam
