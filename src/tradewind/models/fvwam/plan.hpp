/// WavePlan: everything that is fixed before a run of the wave model, checked.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "tradewind/base/settings.hpp"
#include "tradewind/comm/mesh/mesh_exchange.hpp"
#include "tradewind/comm/tuning/use.hpp"
#include "tradewind/models/fvwam/forcing/tide.hpp"
#include "tradewind/models/fvwam/forcing/wind.hpp"
#include "tradewind/models/fvwam/points.hpp"
#include "tradewind/models/fvwam/propagation.hpp"
#include "tradewind/models/item_partition.hpp"

namespace tradewind::fvwam {

enum class Precision : std::uint8_t { single_precision, double_precision };
enum class Sources : std::uint8_t { wam4, wam3, none };
enum class Start : std::uint8_t { wind_sea, calm, swell };
enum class WindKind : std::uint8_t { none, uniform, typhoon, file };
/// The ways to distribute cells over ranks.
enum class CellDistribution : std::uint8_t { curve, consecutive, metis };

/// The words of messages about the distribution of cells.
inline constexpr PartitionWords partition_words{"fvwam", "sea cell"};

/// A patch of swell of one direction and frequency.
struct Swell {
    GeographicPoint center;
    double radius = 0.0;     // m
    double direction = 0.0;  // rad, clockwise from north
    double period = 0.0;     // s
    double height = 0.0;     // m
};

/// Everything about a run; all ranks share one object.
struct WavePlan {
    WavePlan(SpectralGrid grid, CellGraph cells, ItemPartition parts)
        : spectrum(std::move(grid)), graph(std::move(cells)), partition(std::move(parts)) {}
    WavePlan(const WavePlan&) = delete;
    WavePlan& operator=(const WavePlan&) = delete;

    SpectralGrid spectrum;
    /// The neighbours of all sea cells.
    CellGraph graph;
    ItemPartition partition;
    /// The geometry of a run with data; null without.
    std::shared_ptr<const VoronoiMesh> mesh;
    Precision precision = Precision::single_precision;
    Scheme scheme = Scheme::upwind;
    Sources sources = Sources::wam4;
    std::int64_t source_steps = 1;
    /// The largest drag coefficient of the wind.
    double largest_drag = 1.0;
    double time_step = 0.0;  // s
    std::int64_t steps = 1;
    std::int64_t output_every = 0;
    double largest_stable_step = 0.0;  // s
    bool overlaps = false;
    MeshExchangeOptions exchange;
    Start start = Start::wind_sea;
    Swell swell;
    /// Makes the wind of a rank; null without wind.
    std::function<std::unique_ptr<WindField>()> make_wind;
    /// The date at which the run begins, if the wind has dates.
    TimeOrigin origin;
    std::optional<Tide> tide;
    /// The points whose spectra are shown.
    std::vector<NamedPoint> points;

    [[nodiscard]] Rank ranks() const noexcept { return partition.parts(); }
    /// Returns the bytes of a value, and the doubles of a cell's message.
    [[nodiscard]] std::int64_t value_bytes() const noexcept {
        return precision == Precision::single_precision ? 4 : 8;
    }
    [[nodiscard]] std::int64_t words() const noexcept {
        return precision == Precision::single_precision ? Spectra<float>::words(spectrum.size())
                                                        : Spectra<double>::words(spectrum.size());
    }
    /// Returns the exchanges of all steps.
    [[nodiscard]] std::int64_t exchanges() const noexcept { return steps * stages_of(scheme); }
    [[nodiscard]] bool has_sources() const noexcept { return sources != Sources::none; }
    [[nodiscard]] bool is_source_step(std::int64_t step) const noexcept {
        return has_sources() && step % source_steps == 0;
    }
    [[nodiscard]] bool is_output_step(std::int64_t step) const noexcept {
        return step == steps || (output_every > 0 && step % output_every == 0);
    }
};

/// Reads a plan from the settings of settings.hpp. Throws ConfigError, also for more ranks than
/// cells. Without `steps` there is one step; its length does not matter without data.
[[nodiscard]] std::shared_ptr<const WavePlan> make_plan(const Settings& settings, Rank ranks);
/// Reads the plan of a run with data. Throws ConfigError for steps that would be unstable.
[[nodiscard]] std::shared_ptr<const WavePlan> make_run_plan(const Settings& settings, Rank ranks);

/// Lists the exchange as an operation that a tuning can choose.
[[nodiscard]] std::vector<OperationUse> operations(const Settings& settings, Rank ranks);

}  // namespace tradewind::fvwam
