/// Runs of the wave model: the same bits however it is distributed and communicates, and messages
/// as they were estimated.
#include <algorithm>
#include <numbers>

#include "models/fvwam_runs.hpp"
#include "support/messages.hpp"
#include "testing.hpp"
#include "tradewind/catalogue/programs.hpp"
#include "tradewind/comm/mesh/mesh_algorithms.hpp"
#include "tradewind/comm/mesh/mesh_options.hpp"
#include "tradewind/models/fvwam/swell.hpp"
#include "tradewind/simcomm/virtual_ranks.hpp"

using namespace tradewind;
using namespace tradewind::fvwam;

namespace {

using Words = std::map<std::string, std::string>;

/// Returns a partition of the 162 cells in which few neighbours share a rank.
std::string scattered(Rank ranks) {
    std::string list;
    for (std::int64_t cell = 0; cell < 162; ++cell) list += text(cell * 7 % ranks, "\n");
    return list;
}

std::string complaint(const Settings& settings, Rank ranks) {
    return support::message_of<ConfigError>([&] { (void)make_run_plan(settings, ranks); });
}

const ProgramEntry& entry() {
    return find_program("fvwam");
}

}  // namespace

TEST_CASE("waves have the same bits on any ranks and by any exchange") {
    const WaveSnapshot reference = run_waves(some_ranks(1), wave_settings());
    CHECK(reference.diagnostics.fastest_wind > 25);
    CHECK(std::ranges::all_of(reference.fields[significant_height],
                              [](double height) { return height > 0.1 && height < 30; }));
    for (const Rank ranks :
         runnable(is_sanitized ? std::vector<Rank>{3} : std::vector<Rank>{2, 5, 33})) {
        for (const std::string& choice : mesh_choices(!ranks_are_virtual())) {
            // Copies have no order of sums.
            if (mesh_algorithm(choice).order == MeshOrder::arrival) continue;
            CAPTURE(ranks, choice);
            CHECK(same_bits(run_waves(ranks, wave_settings({{"exchange", choice}})), reference));
        }
        for (const Words& words :
             {Words{{"partition", "consecutive"}}, Words{{"overlap", "computation"}},
              Words{{"partition_file", scattered(ranks)}},
              Words{{"partition_file", scattered(ranks)}, {"overlap", "computation"}}}) {
            CAPTURE(ranks, words.begin()->first);
            CHECK(same_bits(run_waves(ranks, wave_settings(words)), reference));
        }
    }
}

TEST_CASE("both schemes and precisions have the same bits on any ranks, and differ") {
    std::vector<WaveSnapshot> all;
    for (const char* const scheme : {"upwind", "limited", "heun"}) {
        for (const char* const precision : {"single", "double"}) {
            CAPTURE(scheme, precision);
            Words words{{"scheme", scheme}, {"precision", precision}};
            all.push_back(run_waves(some_ranks(1), wave_settings(words)));
            for (const Rank ranks : runnable({3, 8})) {
                CHECK(same_bits(run_waves(ranks, wave_settings(words)), all.back()));
                Words overlapping = words;
                overlapping["overlap"] = "computation";
                overlapping["partition"] = "consecutive";
                CHECK(same_bits(run_waves(ranks, wave_settings(overlapping)), all.back()));
            }
            for (std::size_t n = 0; n + 1 < all.size(); ++n) CHECK(!same_bits(all[n], all.back()));
        }
    }
    // Rounding alone separates the two precisions.
    const auto& single = all[0].fields[significant_height];
    const auto& twice = all[1].fields[significant_height];
    for (std::size_t n = 0; n < single.size(); ++n)
        CHECK(std::abs(single[n] / twice[n] - 1) < 1e-4);
}

TEST_CASE("a skeleton sends the messages of the steps with data, as they were estimated") {
    if (!ranks_are_virtual()) return;
    for (const Words& words : {Words{}, Words{{"scheme", "limited"}}, Words{{"scheme", "heun"}},
                               Words{{"precision", "double"}},
                               Words{{"overlap", "computation"}, {"partition", "consecutive"}}}) {
        for (const Rank ranks : {1, 3, 33}) {
            CAPTURE(ranks, words.empty() ? "" : words.begin()->second);
            const auto with_data = [&](std::int64_t steps) {
                Settings settings = wave_settings(words, steps);
                add_weather(settings);
                const auto plan = make_run_plan(settings, ranks);
                LastSnapshot last;
                const Checkpoints none;
                return simcomm::run_virtual(
                    ranks, [&](Comm& comm) { return run_model(comm, *plan, last, none); });
            };
            const auto without = [&](std::int64_t steps) {
                return simcomm::run_virtual(ranks,
                                            entry().make(wave_settings(words, steps), ranks));
            };
            // Outputs are the same for any number of steps.
            const auto few = with_data(2);
            const auto many = with_data(5);
            const auto skeleton = without(3);
            CHECK_EQ(many.messages - few.messages, skeleton.messages);
            CHECK_EQ(many.bytes - few.bytes, skeleton.bytes);
            const Estimate expected = entry().estimate(wave_settings(words, 3), ranks);
            CHECK_EQ(double(skeleton.messages), expected.messages);
            CHECK_EQ(double(skeleton.bytes), expected.bytes);
            CHECK((skeleton.messages > 0) == (ranks > 1));
        }
    }
}

TEST_CASE("a message holds the spectra of a halo in the precision of the run") {
    const auto bytes = [](const Words& words) {
        return entry().estimate(wave_settings(words, 1), 8).bytes;
    };
    CHECK_EQ(bytes({{"precision", "double"}}), 2 * bytes({}));
    const auto plan = make_plan(wave_settings({}, 1), 8);
    double halo = 0;
    for (Rank rank = 0; rank < 8; ++rank)
        halo += double(cells_of_rank(plan->graph, plan->partition, rank, 1).halo());
    CHECK_EQ(bytes({}), halo * 12 * 8 * 4);
    CHECK(bytes({{"scheme", "limited"}}) > 1.5 * bytes({}));
}

TEST_CASE("overlap computes the interior while messages travel, and is not slower") {
    if (!ranks_are_virtual()) return;
    const auto time = [](const Words& words) {
        return simcomm::run_virtual(4, entry().make(wave_settings(words, 4), 4)).time;
    };
    CHECK(time({{"overlap", "computation"}}) < time({}));
}

TEST_CASE("a swell without sources keeps its energy and moves") {
    Settings settings = wave_settings({{"sources", "none"}, {"start", "swell"}}, 1);
    settings.set("swell_latitude_deg", 10.0);
    settings.set("swell_radius_km", 3000.0);
    settings.set("precision", std::string("double"));
    const WaveSnapshot one = run_waves(some_ranks(3), settings);
    settings.set("steps", std::int64_t{60});
    const WaveSnapshot many = run_waves(some_ranks(3), settings);
    CHECK(std::abs(many.diagnostics.energy / one.diagnostics.energy - 1) < 1e-12);
    // 11.7 m/s for 59 hours; the swell is as wide as its way.
    const double way = many.diagnostics.energy_longitude - one.diagnostics.energy_longitude;
    CHECK(way > 18 && way < 27);
    CHECK(one.diagnostics.highest > 2.3 && one.diagnostics.highest <= 2.5);
}

TEST_CASE("a patch of swell has its height, direction and period, divided between neighbours") {
    const SpectralGrid spectrum(36, 20, 0.04, 1.1);
    for (const double direction : {-350.0, -3.0, 0.0, 5.0, 92.5, 357.0}) {
        for (const double period : {24.0, 15.0, 10.0, 5.0}) {
            CAPTURE(direction, period);
            std::vector<double> values(std::size_t(spectrum.size()));
            const double angle = direction * std::numbers::pi / 180;
            const Swell swell{{0.1, 0.2}, 500e3, angle, period, 2.5};
            set_swell(spectrum, swell, swell.center, values.data());
            double energy = 0.0;
            double east = 0.0;
            double north = 0.0;
            double octave = 0.0;
            for (std::int64_t m = 0; m < 20; ++m) {
                for (std::int64_t k = 0; k < 36; ++k) {
                    const double one =
                        values[std::size_t(m * 36 + k)] * spectrum.bandwidth(m) * spectrum.sector();
                    energy += one;
                    east += one * spectrum.east(k);
                    north += one * spectrum.north(k);
                    octave += one * std::log(spectrum.frequency(m) * period);
                }
            }
            CHECK(std::abs(16 * energy - 2.5 * 2.5) < 1e-12);
            CHECK(std::abs(std::remainder(std::atan2(east, north) - angle, 2 * std::numbers::pi)) <
                  2e-4);
            CHECK(std::abs(octave / energy) < 1e-12);
        }
    }
}

TEST_CASE("a time step that is too large is refused with the largest one") {
    Settings settings = wave_settings();
    settings.set("time_step", 1'000'000 * picoseconds_per_second);
    const std::string told = complaint(settings, 2);
    CHECK(told.starts_with("fvwam: time_step = 1e+06 s is not stable on "));
    CHECK(told.find("waves of 0.05 Hz allow at most ") != std::string::npos);
    // The limited scheme allows half of what the upwind one does, and a step just below is taken.
    const auto upwind = make_run_plan(wave_settings(), 2);
    const auto limited = make_run_plan(wave_settings({{"scheme", "limited"}}), 2);
    CHECK_EQ(upwind->largest_stable_step, 2 * limited->largest_stable_step);
    const auto largest = Picoseconds(upwind->largest_stable_step * 1e12);
    settings.set("time_step", largest);
    CHECK_EQ(complaint(settings, 2), "");
    settings.set("time_step", largest + picoseconds_per_second);
    CHECK(complaint(settings, 2).starts_with("fvwam: time_step"));
}

TEST_CASE("settings that contradict each other or the mesh are refused") {
    const auto told = [](const Words& words, Rank ranks = 2) {
        return complaint(wave_settings(words), ranks);
    };
    CHECK(told({}, 163).starts_with("fvwam: 163 ranks are more than the 162 sea cells of "));
    CHECK(told({{"partition_file", "0\n1\n"}}).find("162") != std::string::npos);
    CHECK(told({{"partition_file", scattered(3)}}).find("rank") != std::string::npos);
    CHECK_EQ(told({{"partition_file", scattered(2)}, {"partition", "curve"}}),
             "fvwam: partition = \"curve\" or \"consecutive\" has no partition_file");
    CHECK(told({{"partition", "metis"}}).starts_with("fvwam: partition = \"metis\" needs"));
    CHECK_EQ(told({{"wind", "typhoon"}}), "fvwam: wind = \"typhoon\" needs track");
    CHECK_EQ(told({{"wind", "file"}}), "fvwam: wind = \"file\" needs wind_file");
    CHECK_EQ(told({{"wind", "uniform"}, {"track", "0 1 1 950 40"}}),
             "fvwam: wind = \"uniform\" has no track");
    CHECK(told({{"track", "0 1 1 950 40"}}).starts_with("fvwam: wind = \"none\" has no track"));
    CHECK(told({{"mesh", "/nowhere/mesh.nc"}}) == "/nowhere/mesh.nc: cannot be read");
    Settings narrow = wave_settings();
    narrow.set("directions", std::int64_t{8});
    CHECK_EQ(complaint(narrow, 2),
             "fvwam: source terms need at least 12 directions and 8 frequencies, not 8 and 8");
    narrow.set("sources", std::string("none"));
    CHECK_EQ(complaint(narrow, 2), "");
    Settings both = wave_settings();
    both.set("hours", 3.0);
    CHECK_EQ(complaint(both, 2), "hours: give either hours or steps, not both");
    Settings odd = wave_settings();
    odd.set("output_every_hours", 1.5);
    CHECK_EQ(complaint(odd, 2),
             "output_every_hours = 1.5: expected a multiple of the time step, 3600 s");
}
