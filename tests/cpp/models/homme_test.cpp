/// The dynamical core: reference values of HOMME, conservation, and the same bits however it is
/// distributed and communicates.
#include <cmath>
#include <map>
#include <numbers>

#include "models/homme_runs.hpp"
#include "support/messages.hpp"
#include "testing.hpp"
#include "tradewind/comm/mesh/mesh_algorithms.hpp"
#include "tradewind/comm/mesh/mesh_options.hpp"
#include "tradewind/models/homme/initial_state.hpp"
#include "tradewind/models/homme/remap.hpp"

using namespace tradewind;
using namespace tradewind::homme;

namespace {

constexpr std::int64_t second = 1'000'000'000'000;

/// Settings of ne = 4 with HOMME's hyperviscosity, or of ne = 2 for what needs no accuracy.
Settings settings_of(const std::map<std::string, std::string>& words = {}, std::int64_t ne = 2,
                     std::int64_t steps = 4) {
    Settings settings;
    settings.set("ne", ne);
    settings.set("steps", steps);
    const bool is_dg = words.contains("method") && words.at("method") == "dg";
    settings.set("time_step", (is_dg ? 800 / ne : 4800 / ne) * second);
    if (!is_dg) settings.set("hyperviscosity_m4_s", ne == 4 ? 4.5e17 : 4e18);
    if (is_dg) settings.set("viscosity_m2_s", words.contains("overlap") ? 1e5 : 0.0);
    for (const auto& [key, word] : words) settings.set(key, word);
    return settings;
}

double largest_difference(const CoreSnapshot& a, const CoreSnapshot& b) {
    double largest = 0.0;
    const auto& x = a.fields[surface_pressure];
    const auto& y = b.fields[surface_pressure];
    for (std::size_t n = 0; n < x.size(); ++n) largest = std::max(largest, std::abs(x[n] - y[n]));
    return largest;
}

/// Returns a partition of the 24 elements of ne = 2 in which few neighbours share a rank.
std::string scattered(Rank ranks) {
    std::string list;
    for (std::int64_t e = 0; e < 24; ++e) list += text(e * 7 % ranks, "\n");
    return list;
}

}  // namespace

TEST_CASE("the initial state is that of Jablonowski and Williamson") {
    constexpr JablonowskiWilliamson flow{6.37122e6, 7.292e-5, 287.0, 9.80616, false};
    constexpr double degree = std::numbers::pi / 180;
    struct Row {
        double latitude;
        double eta;
        double wind;
        double temperature;
        double geopotential;
    };
    for (const Row& row : {Row{0, 0.1, 0, 209.4689181310, 1106.20430300},
                           Row{0, 1, 0, 309.9506618025, 1106.20430300},
                           Row{30, 0.5, 23.3558823201, 264.7055052875, 659.84204508},
                           Row{45, 0.1, 33.5212789130, 210.8281495468, -491.82482605},
                           Row{45, 1, 8.3800486094, 278.2695378298, -491.82482605},
                           Row{60, 0.5, 23.3558823201, 246.8891666589, -1978.09679811},
                           Row{90, 1, 0, 226.5276811624, -3093.44604314}}) {
        CAPTURE(row.latitude, row.eta);
        const double latitude = row.latitude * degree;
        CHECK(std::abs(flow.wind(1.0, latitude, row.eta) - row.wind) < 1e-9);
        CHECK(std::abs(flow.temperature(latitude, row.eta) - row.temperature) < 1e-9);
        CHECK(std::abs(flow.surface_geopotential(latitude) - row.geopotential) < 1e-7);
    }
}

TEST_CASE("one day with ne = 4 has the surface pressure that HOMME has") {
    const CoreSnapshot day = run(some_ranks(1), settings_of({}, 4, 72));
    CHECK(std::abs(day.diagnostics.lowest - 99951.2) < 0.1);
    CHECK(std::abs(day.diagnostics.mean - 1e5) < 1e-7);
}

TEST_CASE("spectral elements give the same bits on any ranks and by any exchange") {
    const CoreSnapshot reference = run(some_ranks(1), settings_of());
    const std::vector<Rank> counts =
        is_sanitized ? std::vector<Rank>{3, 8} : std::vector<Rank>{2, 3, 5, 8, 24};
    for (const Rank ranks : runnable(counts)) {
        for (const std::string& choice : mesh_choices(!ranks_are_virtual())) {
            CAPTURE(ranks, choice);
            const CoreSnapshot found = run(ranks, settings_of({{"exchange", choice}}));
            if (mesh_algorithm(choice).order == MeshOrder::fixed) {
                CHECK(same_bits(found, reference));
            } else {
                CHECK(largest_difference(found, reference) < 1e-9);
            }
        }
        for (const auto& words : {std::map<std::string, std::string>{},
                                  {{"schedule", "on_arrival"}},
                                  {{"schedule", "on_arrival"}, {"exchange", "persistent"}},
                                  {{"exchange", "pairwise:protocol=(1,6)"}},
                                  {{"exchange", "pairwise"}, {"protocol", "ordered_simple"}}}) {
            CAPTURE(ranks, words.empty() ? "" : words.begin()->second);
            CHECK(same_bits(run(ranks, settings_of(words)), reference));
        }
        const CoreSnapshot arrival =
            run(ranks, settings_of({{"schedule", "on_arrival"}, {"summation", "arrival"}}));
        CHECK(largest_difference(arrival, reference) < 1e-9);
    }
}

TEST_CASE("discontinuous Galerkin gives the same bits on any ranks and by any exchange") {
    const CoreSnapshot reference = run(some_ranks(1), settings_of({{"method", "dg"}}));
    const CoreSnapshot viscous =
        run(some_ranks(1), settings_of({{"method", "dg"}, {"overlap", "computation"}}));
    CHECK(!same_bits(reference, viscous));
    const std::vector<Rank> counts =
        is_sanitized ? std::vector<Rank>{2, 8} : std::vector<Rank>{2, 5, 8, 24};
    for (const Rank ranks : runnable(counts)) {
        CAPTURE(ranks);
        for (const std::string& choice : mesh_choices(!ranks_are_virtual())) {
            if (mesh_algorithm(choice).order == MeshOrder::arrival) continue;
            CAPTURE(choice);
            CHECK(same_bits(run(ranks, settings_of({{"method", "dg"}, {"exchange", choice}})),
                            reference));
        }
        for (const auto& words : {std::map<std::string, std::string>{},
                                  {{"schedule", "on_arrival"}},
                                  {{"connectivity", "edges_and_corners"}}}) {
            auto with_method = words;
            with_method["method"] = "dg";
            CHECK(same_bits(run(ranks, settings_of(with_method)), reference));
        }
        for (const char* const choice :
             {"on_arrival", "persistent", "on_arrival.persistent", "native_nonblocking"}) {
            CAPTURE(choice);
            if (ranks_are_virtual() && choice == std::string_view("native_nonblocking")) continue;
            CHECK(same_bits(run(ranks, settings_of({{"method", "dg"},
                                                    {"overlap", "computation"},
                                                    {"exchange", choice}})),
                            viscous));
        }
        CHECK(same_bits(run(ranks, settings_of({{"method", "dg"}, {"overlap", "computation"}})),
                        viscous));
    }
}

TEST_CASE("elements that are scattered over the ranks give the same bits") {
    for (const char* const method : {"se", "dg"}) {
        const CoreSnapshot reference = run(some_ranks(1), settings_of({{"method", method}}));
        const std::vector<Rank> counts =
            is_sanitized ? std::vector<Rank>{3, 8} : std::vector<Rank>{1, 2, 3, 5, 8, 24};
        for (const Rank ranks : runnable(counts)) {
            for (const char* const exchange : {"synchronous", "on_arrival.persistent", "puts"}) {
                CAPTURE(method, ranks, exchange);
                CHECK(same_bits(run(ranks, settings_of({{"method", method},
                                                        {"exchange", exchange},
                                                        {"partition", "metis"},
                                                        {"partition_file", scattered(ranks)}})),
                                reference));
            }
        }
    }
}

TEST_CASE("a partition is read from text and file, and refused with what is wrong") {
    const ItemPartition read = read_partition("1\n0\n1\n2\n", 4, 3, partition_words);
    CHECK(read.is_listed());
    CHECK_EQ(read.size(1), 2);
    CHECK_EQ(read.item(1, 0), 0);
    CHECK_EQ(read.item(1, 1), 2);
    CHECK_EQ(read.owner(3), 2);
    const auto refusal = [](const std::string& given, Rank ranks = 3) {
        return support::message_of<ConfigError>(
            [&] { (void)read_partition(given, 4, ranks, partition_words); });
    };
    const auto says = [](const std::string& message, std::string_view words) {
        return message.find(words) != std::string::npos;
    };
    CHECK(says(refusal("1\n0\n1\n"), "only 3 ranks, expected one for each of the 4 elements"));
    CHECK(says(refusal("1\n0\n1\n2\n2\n"), "more than 4 ranks"));
    CHECK(says(refusal("1\n0\n3\n2\n"), "element 2 has the rank 3, expected one of 0..2"));
    CHECK(says(refusal("1\n0\n-1\n2\n"), "element 2 has the rank -1"));
    CHECK(says(refusal("1\n0\n1.5\n2\n"), "the rank 1.5"));
    CHECK(says(refusal("1\n0\n1\n2\n", 4), "rank 3 of 4 has no element"));
    CHECK(says(refusal("/no/such/file"), "\"/no/such/file\" cannot be read"));
    const auto of_plan = [](const std::map<std::string, std::string>& words) {
        return support::message_of<ConfigError>([&] { (void)make_plan(settings_of(words), 2); });
    };
    CHECK(says(of_plan({{"partition", "metis"}}), "needs partition_file"));
    CHECK(says(of_plan({{"partition", "curve"}, {"partition_file", scattered(2)}}),
               "has no partition_file"));
    CHECK(says(of_plan({{"partition_file", scattered(3)}}), "expected one of 0..1"));
    CHECK(says(of_plan({{"partition", "scotch"}}), "curve, metis"));
}

TEST_CASE("both methods conserve mass and keep the balanced flow balanced") {
    for (const char* method : {"se", "dg"}) {
        CAPTURE(method);
        const std::int64_t ne = 4;
        // No latitude of this grid lies on the edge of an element, where DG has two values.
        constexpr std::int64_t latitudes = 37;
        Settings settings = settings_of({{"method", method}, {"case", "steady"}}, ne,
                                        method[0] == 's' ? 18 : (is_sanitized ? 36 : 108));
        settings.set("latitudes", latitudes);
        const CoreSnapshot end = run(some_ranks(2), settings);
        CHECK(std::abs(end.diagnostics.mean - 1e5) < 1e-7);
        CHECK(end.diagnostics.highest - end.diagnostics.lowest < 100.0);
        // The hemispheres are mirror images.
        const auto& field = end.fields[surface_pressure];
        constexpr std::size_t longitudes = 2 * latitudes;
        double largest = 0.0;
        for (std::size_t j = 0; j < latitudes; ++j) {
            for (std::size_t i = 0; i < longitudes; ++i) {
                const double south = field[j * longitudes + i];
                const double north = field[(latitudes - 1 - j) * longitudes + i];
                largest = std::max(largest, std::abs(south - north));
            }
        }
        CAPTURE(largest);
        CHECK(largest < 1e-7);
    }
}

TEST_CASE("remapping conserves what a column holds and returns to the reference levels") {
    const HybridLevels levels = hybrid_levels(26);
    Fields fields({1, 1, 26});
    double before[3] = {};
    double mass = 0.0;
    for (std::int64_t k = 0; k < 26; ++k) {
        const double dp = levels.thickness(k, 99000.0) * (1 + 0.1 * std::sin(double(k)));
        fields.value(thickness, 0, 0, k) = dp;
        fields.value(east, 0, 0, k) = std::cos(0.3 * double(k));
        fields.value(north, 0, 0, k) = 5.0;
        fields.value(temperature, 0, 0, k) = 200.0 + double(k * k % 17);
        for (std::size_t f = 0; f < 3; ++f) before[f] += dp * fields.value(f, 0, 0, k);
        mass += dp;
    }
    Remap(levels).apply(fields);
    double after[3] = {};
    double mass_after = 0.0;
    for (std::int64_t k = 0; k < 26; ++k) {
        const double dp = fields.value(thickness, 0, 0, k);
        CHECK(std::abs(dp - levels.thickness(k, mass + levels.top())) < 1e-9);
        CHECK(std::abs(fields.value(north, 0, 0, k) - 5.0) < 1e-12);
        CHECK(fields.value(temperature, 0, 0, k) > 199.999);
        CHECK(fields.value(temperature, 0, 0, k) < 216.001);
        for (std::size_t f = 0; f < 3; ++f) after[f] += dp * fields.value(f, 0, 0, k);
        mass_after += dp;
    }
    CHECK(std::abs(mass_after / mass - 1) < 1e-14);
    for (std::size_t f = 0; f < 3; ++f) CHECK(std::abs(after[f] / before[f] - 1) < 1e-12);
}

TEST_CASE("the core refuses what cannot work, with the reason") {
    CHECK_THROWS_AS((make_plan(settings_of(), 25)), ConfigError);
    CHECK_THROWS_AS((make_plan(settings_of({{"connectivity", "edges"}}), 2)), ConfigError);
    CHECK_THROWS_AS((make_plan(settings_of({{"overlap", "computation"}}), 2)), ConfigError);
    CHECK_THROWS_AS((make_plan(settings_of({{"method", "fv"}}), 2)), ConfigError);
    CHECK_THROWS_AS((make_plan(settings_of({{"method", "dg"}, {"summation", "arrival"}}), 2)),
                    ConfigError);
    const auto refusal = [](const std::map<std::string, std::string>& words) {
        return support::message_of<ConfigError>([&] { (void)make_plan(settings_of(words), 2); });
    };
    const auto says = [](const std::string& message, std::string_view words) {
        return message.find(words) != std::string::npos;
    };
    CHECK(says(refusal({{"exchange", "pigeons"}}), "known are: synchronous"));
    CHECK(says(refusal({{"exchange", "pigeons"}}), "sum_on_arrival"));
    CHECK(says(refusal({{"exchange", "pigeons"}, {"method", "dg"}}), "native"));
    CHECK(!says(refusal({{"exchange", "pigeons"}, {"method", "dg"}}), "sum_on_arrival"));
    CHECK(says(refusal({{"exchange", "burst:protocol=(1,6)"}}), "takes no protocol"));
    CHECK(says(refusal({{"exchange", "on_arrival"}, {"schedule", "synchronous"}}),
               "contradicts the setting schedule"));
    CHECK(says(refusal({{"exchange", "on_arrival"}, {"summation", "arrival"}}),
               "contradicts the setting summation"));
    CHECK(says(refusal({{"exchange", "native"}, {"schedule", "on_arrival"}}),
               "needs the synchronous one"));
    CHECK(says(refusal({{"exchange", "sum_on_arrival"}, {"method", "dg"}}), "orders sums"));
    CHECK(says(refusal({{"exchange", "tuned"}, {"schedule", "on_arrival"}}),
               "the tuning chooses it"));
    Settings fast = settings_of();
    fast.set("time_step", 6000 * second);
    CHECK_THROWS_AS((make_plan(fast, 2)), ConfigError);
    Settings viscous = settings_of();
    viscous.set("hyperviscosity_m4_s", 1e22);
    CHECK_THROWS_AS((make_plan(viscous, 2)), ConfigError);
}
