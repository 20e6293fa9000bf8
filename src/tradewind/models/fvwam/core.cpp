/// The sequence of exchange, propagation and source terms.
#include "tradewind/models/fvwam/core.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numbers>
#include <optional>

#include "tradewind/base/interrupts.hpp"
#include "tradewind/models/fvwam/forcing/great_circle.hpp"
#include "tradewind/models/fvwam/sources/initial_spectrum.hpp"
#include "tradewind/models/fvwam/sources/source_terms.hpp"
#include "tradewind/models/fvwam/swell.hpp"
#include "tradewind/models/fvwam/work.hpp"

namespace tradewind::fvwam {

namespace {

/// The ratio of adjacent depths for which wave numbers are tabulated.
constexpr double depth_ratio = 1.01;

[[nodiscard]] Wind wind_of(const WindVector& wind) {
    const double direction = std::atan2(wind.east, wind.north);
    return {std::hypot(wind.east, wind.north),
            direction < 0 ? direction + 2 * std::numbers::pi : direction};
}

[[nodiscard]] Physics physics_of(Sources sources) {
    return sources == Sources::wam3 ? Physics::wam3 : Physics::wam4;
}

/// All of a rank that needs data.
template <class Real>
struct WaveData {
    WaveData(const WavePlan& plan, const RankCells& cells)
        : depths(plan.spectrum, depth_ratio),
          propagation(plan.spectrum, depths, *plan.mesh, cells, plan.scheme, plan.time_step),
          winds(std::size_t(cells.own)),
          roughness(std::size_t(cells.own)) {
        if (plan.make_wind) field = plan.make_wind();
        if (!plan.has_sources()) return;
        sources.emplace(plan.spectrum, physics_of(plan.sources),
                        plan.time_step * double(plan.source_steps), plan.largest_drag);
    }

    DepthTable<Real> depths;
    Propagation<Real> propagation;
    std::unique_ptr<WindField> field;
    std::vector<WindVector> winds;
    std::vector<Roughness<Real>> roughness;
    std::optional<SourceTerms<Real>> sources;
};

template <class Real>
class RealCore final : public WaveCore {
public:
    RealCore(Comm& comm, const WavePlan& plan, bool has_data)
        : WaveCore(comm, plan),
          now_(cells_.own + cells_.halo(), plan.spectrum.size(), has_data),
          next_(cells_.own + cells_.halo(), plan.spectrum.size(), has_data),
          exchange_(comm, part_of(cells_, comm.rank()), plan.words(), plan.exchange, has_data) {
        for (std::int64_t n = 0; n < cells_.own; ++n) all_.push_back(std::int32_t(n));
        if (plan.scheme == Scheme::heun)
            before_ = Spectra<Real>(cells_.own + cells_.halo(), plan.spectrum.size(), has_data);
        if (has_data) data_.emplace(plan, cells_);
    }

    Task begin(Comm& comm) override {
        if (data_) {
            set_wind(0.0);
            for (std::int64_t n = 0; n < cells_.own; ++n) set_start(n);
        }
        co_await exchange_.connect(comm);
    }

    Task step(Comm& comm, std::int64_t step) override {
        set_level(step);
        if (plan_->scheme == Scheme::heun) {
            co_await step_by_heun(comm);
        } else {
            co_await advance_all(comm);
            std::swap(now_, next_);
        }
        if (!plan_->is_source_step(step + 1)) co_return;
        comm.begin_phase("sources");
        add_sources(double(step + 1) * plan_->time_step);
        co_await comm.compute(source_work(*plan_, cells_.own));
    }

    /// Makes a stage from `now_` to `next_`.
    Task advance_all(Comm& comm) {
        const std::vector<MeshField> fields{now_.field()};
        comm.begin_phase("exchange");
        co_await exchange_.send(comm, fields);
        if (plan_->overlaps) {
            comm.begin_phase("propagation");
            advance(cells_.interior);
            co_await comm.compute(propagation_work(*plan_, std::int64_t(cells_.interior.size())));
            comm.begin_phase("exchange");
        }
        co_await exchange_.receive(comm, fields, fields);
        comm.begin_phase("propagation");
        const std::vector<std::int32_t>& rest = plan_->overlaps ? cells_.boundary : all_;
        advance(rest);
        co_await comm.compute(propagation_work(*plan_, std::int64_t(rest.size())));
    }

    /// Makes half a step of turning, two stages in space, and another half.
    Task step_by_heun(Comm& comm) {
        turn();
        co_await advance_all(comm);
        std::swap(before_, now_);
        std::swap(now_, next_);
        co_await advance_all(comm);
        if (data_) data_->propagation.average(before_, next_, all_);
        std::swap(now_, next_);
        turn();
    }

    Task finish(Comm& comm) override { co_await exchange_.finish(comm); }

    [[nodiscard]] SeaState state(std::int64_t own) const override {
        return sea_state(plan_->spectrum, now_.cell(own));
    }

    [[nodiscard]] CellEnergy energy(std::int64_t own) const override {
        const SpectralGrid& spectrum = plan_->spectrum;
        const Real* value = now_.cell(own);
        CellEnergy sum;
        for (std::int64_t m = 0; m < spectrum.frequencies(); ++m) {
            const double width = spectrum.bandwidth(m) * spectrum.sector();
            for (std::int64_t k = 0; k < spectrum.directions(); ++k, ++value) {
                const double energy = double(*value) * width;
                sum.energy += energy;
                sum.east += energy * spectrum.east(k);
                sum.north += energy * spectrum.north(k);
            }
        }
        return sum;
    }

    void spectrum(std::int64_t own, double* values) const override {
        std::copy_n(now_.cell(own), plan_->spectrum.size(), values);
    }

    [[nodiscard]] WindVector wind(std::int64_t own) const override {
        return data_->winds[std::size_t(own)];
    }

    void save(std::vector<double>& numbers) const override {
        numbers.assign(std::size_t(cells_.own * cell_numbers()), 0.0);
        for (std::int64_t n = 0; n < cells_.own; ++n) {
            double* const place = numbers.data() + n * cell_numbers();
            place[0] = double(cells_.cells[std::size_t(n)]);
            std::memcpy(place + 1, &data_->roughness[std::size_t(n)], sizeof(Roughness<Real>));
            std::memcpy(place + 1 + roughness_words, now_.cell(n), spectrum_bytes());
        }
    }

    void restore(std::int64_t step, const std::vector<double>& numbers) override {
        if (std::int64_t(numbers.size()) != cells_.own * cell_numbers()) {
            throw ConfigError(text("fvwam: the checkpoint has ", numbers.size(),
                                   " numbers where this run has ", cells_.own * cell_numbers(),
                                   ": it is of another mesh or partition"));
        }
        for (std::int64_t n = 0; n < cells_.own; ++n) {
            const double* const place = numbers.data() + n * cell_numbers();
            const std::int32_t own = cells_.cells[std::size_t(n)];
            if (std::int64_t(place[0]) != own) {
                throw ConfigError(text("fvwam: the checkpoint has cell ", place[0],
                                       " where this run has cell ", own,
                                       ": it was written with another partition"));
            }
            std::memcpy(static_cast<void*>(&data_->roughness[std::size_t(n)]), place + 1,
                        sizeof(Roughness<Real>));
            std::memcpy(now_.cell(n), place + 1 + roughness_words, spectrum_bytes());
        }
        // The wind is that of the last source terms.
        if (plan_->has_sources())
            set_wind(double(step - step % plan_->source_steps) * plan_->time_step);
    }

private:
    static constexpr std::size_t roughness_words =
        (sizeof(Roughness<Real>) + sizeof(double) - 1) / sizeof(double);
    [[nodiscard]] std::size_t spectrum_bytes() const {
        return std::size_t(plan_->spectrum.size()) * sizeof(Real);
    }
    /// Returns the numbers of a cell in a checkpoint.
    [[nodiscard]] std::int64_t cell_numbers() const {
        return 1 + std::int64_t(roughness_words) + plan_->words();
    }

    [[nodiscard]] GeographicPoint place_of(std::int64_t own) const {
        return center_of(*plan_->mesh, cells_.cells[std::size_t(own)]);
    }

    void set_wind(double time) {
        if (data_->field == nullptr) return;
        data_->field->set_time(time);
        for (std::int64_t n = 0; n < cells_.own; ++n)
            data_->winds[std::size_t(n)] = data_->field->at(place_of(n));
    }

    /// Sets the water level of a step.
    void set_level(std::int64_t step) {
        if (!data_ || !plan_->tide) return;
        const Tide& tide = *plan_->tide;
        const double begin = double(step) * plan_->time_step;
        const double end = double(step + 1) * plan_->time_step;
        data_->propagation.set_level(tide.level(0.5 * (begin + end)),
                                     tide.level(end) - tide.level(begin));
    }

    void set_start(std::int64_t own) {
        check_interrupts(64 * plan_->spectrum.size());
        if (plan_->start == Start::wind_sea) {
            set_jonswap(plan_->spectrum, wind_of(data_->winds[std::size_t(own)]), default_fetch,
                        now_.cell(own));
        } else if (plan_->start == Start::swell) {
            set_swell(plan_->spectrum, plan_->swell, place_of(own), now_.cell(own));
        }
    }

    void advance(const std::vector<std::int32_t>& cells) {
        if (data_) data_->propagation.advance(now_, next_, cells);
    }

    void turn() {
        if (!data_) return;
        data_->propagation.turn(now_, next_, all_);
        std::swap(now_, next_);
    }

    void add_sources(double time) {
        if (!data_) return;
        set_wind(time);
        for (std::int64_t n = 0; n < cells_.own; ++n) {
            check_interrupts(long_operation / 4);
            const auto own = std::size_t(n);
            data_->sources->advance(now_.cell(n), data_->propagation.water(n),
                                    wind_of(data_->winds[own]), data_->roughness[own]);
        }
    }

    Spectra<Real> now_;
    Spectra<Real> next_;
    /// The spectra before the first stage of the method of Heun.
    Spectra<Real> before_;
    MeshExchange exchange_;
    std::vector<std::int32_t> all_;
    std::optional<WaveData<Real>> data_;
};

}  // namespace

WaveCore::WaveCore(const Comm& comm, const WavePlan& plan)
    : plan_(&plan),
      cells_(cells_of_rank(plan.graph, plan.partition, comm.rank(), rings_of(plan.scheme))) {}

std::unique_ptr<WaveCore> make_core(Comm& comm, const WavePlan& plan, bool has_data) {
    if (plan.precision == Precision::double_precision)
        return std::make_unique<RealCore<double>>(comm, plan, has_data);
    return std::make_unique<RealCore<float>>(comm, plan, has_data);
}

}  // namespace tradewind::fvwam
