/// Speed of the kernels of the ocean-wave model on one core, in processor time, as JSON: bins
/// (cells times directions times frequencies) per second, and the share of a roofline that is
/// measured beside each.
///
/// Rows of single terms are in the caches. `source_terms` are all terms of cells that are not, and
/// `upwind` and `limited` a step of propagation of such cells.
/// `air_flow` and `damping` are the parts that have no work for each bin.
///
/// Usage: wave_speed [SECONDS [CELLS]]     time spent on each measurement (default 1), cells (2000)
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "roofline.hpp"
#include "tradewind/models/fvwam/propagation.hpp"
#include "tradewind/models/fvwam/sources/breaking.hpp"
#include "tradewind/models/fvwam/sources/dia.hpp"
#include "tradewind/models/fvwam/sources/initial_spectrum.hpp"
#include "tradewind/models/fvwam/sources/integration.hpp"
#include "tradewind/models/fvwam/sources/source_terms.hpp"
#include "tradewind/models/fvwam/sources/spectrum_rows.hpp"
#include "tradewind/models/fvwam/sources/wave_stress.hpp"
#include "tradewind/models/fvwam/sources/whitecapping.hpp"
#include "wave_patch.hpp"

using namespace tradewind;
using namespace tradewind::fvwam;
using tradewind::bench::KernelCounts;
using tradewind::bench::Reporter;

namespace {

/// The spectrum of pang2025.
constexpr std::int64_t directions = 36;
constexpr std::int64_t frequencies = 35;
constexpr double bins = double(directions * frequencies);
constexpr double time_step = 300.0;  // s
constexpr Wind wind = {12.0, 0.3};

/// Operations per bin. The exponential in the growth by Janssen has one multiplication and one
/// addition for each degree of its polynomial. Of the frequencies and directions, the share that
/// grows is computed and counted. Interactions are counted with the waves above the last frequency:
/// those of four more frequencies act.
template <class Real>
[[nodiscard]] KernelCounts input_counts(Physics physics, double growing) {
    constexpr double degree = ExponentialNumbers<Real>::degree;
    if (physics == Physics::wam3) return {"input_snyder", 5 * growing, 4 * growing, 0, 0};
    return {"input_janssen", (14 + degree) * growing, (8 + degree) * growing, growing, 0};
}
constexpr double act = double(frequencies + 4) / double(frequencies);
constexpr KernelCounts interaction_counts = {"interactions", 33 * act + 10, 34 * act + 8, 0, 0};
constexpr KernelCounts update_counts = {"update", 5, 7, 1, 0};
constexpr KernelCounts copy_counts = {"copy", 0, 1, 0, 0};
constexpr KernelCounts air_flow_counts = {"air_flow", 0, 0, 0, 0};
constexpr KernelCounts damping_counts = {"damping", 0, 0, 0, 0};

/// The counts of all terms of a step, in which WAM cycle 4 computes the input twice. The spectrum
/// is read and written.
template <class Real>
[[nodiscard]] KernelCounts step_counts(Physics physics, double growing) {
    const bool is_wam4 = physics == Physics::wam4;
    KernelCounts sum{is_wam4 ? "source_terms_wam4" : "source_terms_wam3", 0, 0, 0, 2};
    const auto add = [&sum](const KernelCounts& part, double times) {
        sum.multiplications += times * part.multiplications;
        sum.additions += times * part.additions;
        sum.divisions += times * part.divisions;
    };
    for (const KernelCounts& part : {interaction_counts, update_counts, copy_counts}) add(part, 1);
    add(input_counts<Real>(physics, growing), is_wam4 ? 2 : 1);
    return sum;
}

/// Returns the share of bins whose growth is computed: frequencies that grow, and vectors with a
/// direction along the wind, which has a number in the row of spreading.
template <class Real>
[[nodiscard]] double growing_share(const WindInput<Real>& input) {
    const Real* const spreading = input.spreading();
    std::int64_t computed = 0;
    for (std::int64_t k = 0; k < directions; k += lanes<Real>) {
        const std::int64_t last = std::min(k + lanes<Real>, directions);
        if (std::any_of(spreading + k, spreading + last, [](Real x) { return x > 0; }))
            computed += last - k;
    }
    return double(frequencies - input.first_growing()) / double(frequencies) * double(computed) /
           double(directions);
}

/// Adds the number type to the name of a kernel.
class Named {
public:
    Named(const KernelCounts& counts, const char* type)
        : name_(std::string(counts.name) + "_" + type), counts_(counts) {
        counts_.name = name_.c_str();
    }
    [[nodiscard]] const KernelCounts& counts() const noexcept { return counts_; }

private:
    std::string name_;
    KernelCounts counts_;
};

/// The terms of one cell.
template <class Real>
class Terms {
public:
    Terms(Reporter& reporter, const char* type)
        : reporter_(reporter),
          type_(type),
          water_(table_.column(table_.bin(4000.0))),
          values_(std::size_t(spectrum_.size())) {
        set_jonswap(spectrum_, wind, default_fetch, values_.data());
        read_spectrum(values_.data(), waves_, over_directions_);
        janssen_.turn(wind.direction);
        snyder_.turn(wind.direction);
    }

    void measure() {
        measure_input();
        dia_.evaluate(waves_, 1.0, source_, derivative_);
        report(interaction_counts, [this] { dia_.evaluate(waves_, 1.0, source_, derivative_); });
        UpdateNumbers<Real> numbers(frequencies);
        UpdateSums sums(frequencies);
        integration_.limit(0.5, 0.2, numbers.largest);
        numbers.floor = integration_.floor(wind.speed);
        const UpdateRows<Real> rows{janssen_.rates(), source_, derivative_, janssen_.spreading()};
        numbers.remaining.assign(frequencies, Real(1));
        report(update_counts, [&] { integration_.update(rows, numbers, waves_, sums); });
        read_spectrum(values_.data(), waves_, over_directions_);
        report(damping_counts, [&] {
            const Means means = moments_.means(over_directions_.data(), water_);
            whitecapping(Physics::wam4, means, water_, numbers.whitecapping);
            numbers.remaining[0] = Real(breaking(means.energy, means.frequency, water_.depth));
        });
        report(copy_counts, [this] {
            read_spectrum(values_.data(), waves_, over_directions_);
            write_spectrum(waves_, values_.data());
        });
    }

private:
    void measure_input() {
        const AirFlow air = air_flow(wind.speed, 0.1);
        const AirFlow simple{simple_friction_velocity(wind.speed), 0.0};
        janssen_.evaluate(waves_, water_, air);
        snyder_.evaluate(waves_, water_, simple);
        report(input_counts<Real>(Physics::wam4, growing_share(janssen_)),
               [&] { janssen_.evaluate(waves_, water_, air); });
        report(input_counts<Real>(Physics::wam3, growing_share(snyder_)),
               [&] { snyder_.evaluate(waves_, water_, simple); });
        double stress = 0.1;
        report(air_flow_counts, [&] {
            const AirFlow found = air_flow(wind.speed, stress);
            stress = wave_stress(spectrum_, janssen_, waves_, water_, found, 25);
        });
    }

    /// Measures many calls at a time, as one is shorter than the clock can tell.
    template <class Work>
    void report(const KernelCounts& counts, const Work& work) {
        constexpr int calls = 500;
        reporter_.measure<Real>(Named(counts, type_).counts(), bins * calls, [&] {
            for (int i = 0; i < calls; ++i) work();
        });
    }

    Reporter& reporter_;
    const char* type_;
    SpectralGrid spectrum_{directions, frequencies, 0.03715, 1.1};
    RowShape shape_ = row_shape<Real>(spectrum_, interaction_reach(spectrum_));
    DepthTable<Real> table_{spectrum_, 1.1};
    WaterColumn<Real> water_;
    Moments moments_{spectrum_};
    WindInput<Real> janssen_{spectrum_, shape_, Physics::wam4};
    WindInput<Real> snyder_{spectrum_, shape_, Physics::wam3};
    Dia<Real> dia_{spectrum_, shape_};
    Integration<Real> integration_{spectrum_, time_step};
    Rows<Real> waves_{shape_, frequencies};
    Rows<Real> source_{shape_, frequencies};
    Rows<Real> derivative_{shape_, frequencies};
    std::vector<double> over_directions_ = std::vector<double>(std::size_t(frequencies));
    std::vector<Real> values_;
};

/// All terms of many cells.
template <class Real>
void measure_steps(Reporter& reporter, const char* type, Physics physics, std::int64_t cells) {
    const SpectralGrid spectrum(directions, frequencies, 0.03715, 1.1);
    const DepthTable<Real> table(spectrum, 1.1);
    const WaterColumn<Real> water = table.column(table.bin(4000.0));
    SourceTerms<Real> source_terms(spectrum, physics, time_step);
    std::vector<Real> values(std::size_t(cells * spectrum.size()));
    std::vector<Roughness<Real>> roughness(static_cast<std::size_t>(cells));
    for (std::int64_t i = 0; i < cells; ++i)
        set_jonswap(spectrum, wind, default_fetch, &values[std::size_t(i * spectrum.size())]);
    const auto step = [&] {
        for (std::int64_t i = 0; i < cells; ++i)
            source_terms.advance(&values[std::size_t(i * spectrum.size())], water, wind,
                                 roughness[std::size_t(i)]);
    };
    step();
    const RowShape shape = row_shape<Real>(spectrum, interaction_reach(spectrum));
    WindInput<Real> input(spectrum, shape, physics);
    input.turn(wind.direction);
    input.evaluate(Rows<Real>(shape, frequencies), water,
                   {double(roughness[0].friction_velocity), double(roughness[0].length)});
    const KernelCounts counts = step_counts<Real>(physics, growing_share(input));
    reporter.measure<Real>(Named(counts, type).counts(), bins * double(cells), step);
}

/// The counts of a step of propagation: six sides, half of which waves flow in through, and the
/// turning. Those of each frequency count, not those of all frequencies. The spectra of a cell are
/// read, and those of the next step are written, for which their memory is read, too.
constexpr KernelCounts upwind_counts = {"upwind", 6 + 2 + 4, 6 + 1 + 3, 0, 3};
constexpr KernelCounts limited_counts = {"limited", 6 * 3.5 + 2 + 5, 6 * 5.5 + 1 + 7, 7, 3};

/// A step of propagation of a patch of `rows` x `rows` cells.
template <class Real>
void measure_propagation(Reporter& reporter, const char* type, Scheme scheme, std::int64_t rows) {
    const SpectralGrid spectrum(directions, frequencies, 0.03715, 1.1);
    const DepthTable<Real> table(spectrum, 1.1);
    const VoronoiMesh mesh = bench::hexagons(rows);
    const ItemPartition whole(mesh.cells(), 1);
    const RankCells cells = cells_of_rank(mesh.graph, whole, 0, rings_of(scheme));
    Propagation<Real> propagation(spectrum, table, mesh, cells, scheme, time_step);
    Spectra<Real> now(mesh.cells(), spectrum.size(), true);
    Spectra<Real> next(mesh.cells(), spectrum.size(), true);
    for (std::int64_t i = 0; i < mesh.cells(); ++i)
        set_jonswap(spectrum, {5.0 + double(i % 20), double(i)}, default_fetch, now.cell(i));
    const KernelCounts& counts = scheme == Scheme::upwind ? upwind_counts : limited_counts;
    reporter.measure<Real>(Named(counts, type).counts(), bins * double(mesh.cells()),
                           [&] { propagation.advance(now, next, cells.interior); });
}

template <class Real>
void measure_all(Reporter& reporter, const char* type, std::int64_t cells) {
    Terms<Real>(reporter, type).measure();
    for (const Physics physics : {Physics::wam4, Physics::wam3})
        measure_steps<Real>(reporter, type, physics, cells);
    const auto rows = std::int64_t(std::sqrt(double(cells)));
    for (const Scheme scheme : {Scheme::upwind, Scheme::limited})
        measure_propagation<Real>(reporter, type, scheme, rows);
}

}  // namespace

int main(int count, char** arguments) {
    const double budget = count > 1 ? std::atof(arguments[1]) : 1.0;
    const std::int64_t cells = count > 2 ? std::atol(arguments[2]) : 2000;
    Reporter reporter(budget, "bins");
    measure_all<float>(reporter, "float", cells);
    measure_all<double>(reporter, "double", cells);
}
