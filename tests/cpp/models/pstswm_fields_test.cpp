/// The traffic of PSTSWM itself, five fields to the grid and eight back, in the model with data.
#include <algorithm>
#include <cmath>

#include "models/model_runs.hpp"

#include "testing.hpp"
#include "tradewind/catalogue/programs.hpp"
#include "tradewind/models/pstswm/model.hpp"

using namespace tradewind;
using namespace tradewind::pstswm;

namespace {

Settings small_case(std::int64_t number, const char* method, std::int64_t steps = 4) {
    Settings settings = case_settings(number, 0.0, 900, 21);
    settings.set("steps", steps);
    settings.set("levels", std::int64_t{4});
    settings.set("method", std::string(method));
    return settings;
}

Settings with_messages(Settings settings, const char* messages) {
    settings.set("messages", std::string(messages));
    return settings;
}

simcomm::Traffic without_data(Settings settings, Mesh mesh) {
    settings.set("processes", std::vector<std::int64_t>{mesh.px, mesh.py});
    const Rank ranks = mesh.px * mesh.py;
    return simcomm::run_virtual(ranks, find_program("pstswm").make(settings, ranks));
}

/// Returns the traffic of one more step; that of the start and of the output cancels.
template <class Run>
simcomm::Traffic of_a_step(const Run& run) {
    simcomm::Traffic found = run(5);
    const simcomm::Traffic shorter = run(4);
    found.messages -= shorter.messages;
    found.bytes -= shorter.bytes;
    return found;
}

/// Reports whether the messages of PSTSWM itself are implemented with data for these settings.
bool has_data(const Settings& settings, Mesh mesh) {
    Settings given = settings;
    given.set("processes", std::vector<std::int64_t>{mesh.px, mesh.py});
    try {
        require_data(make_plan(given, mesh.px * mesh.py));
    } catch (const ConfigError&) {
        return false;
    }
    return true;
}

constexpr const char* methods[] = {"transpose", "DTH", "DR"};
constexpr Mesh meshes[] = {{1, 1}, {2, 1}, {1, 4}, {2, 2}, {2, 3}, {4, 2}, {8, 4}};

/// Transforms to the grid on one rank, where an exchange is a swap of arrays.
void to_grid_alone(ShallowWaterModel& model) {
    model.synthesise(model.now);
    model.legendre_inverse();
    std::swap(model.inverse.legendre, model.inverse.fourier);
    std::swap(model.inverse.fourier, model.inverse.waves);
    model.fft_inverse();
    std::swap(model.inverse.lines, model.inverse.grid);
}

void to_spectrum_alone(ShallowWaterModel& model, bool is_start) {
    std::swap(model.forward.grid, model.forward.lines);
    model.fft_forward();
    std::swap(model.forward.waves, model.forward.fourier);
    std::swap(model.forward.fourier, model.forward.legendre);
    model.legendre_forward();
    model.analyse(is_start);
}

/// Returns the largest difference between the field sent to the grid and the field that came back,
/// relative to the largest coefficient.
double largest_change(const ShallowWaterModel& model, std::int64_t levels, std::int64_t sent,
                      std::int64_t back) {
    const auto width = [&](std::int64_t fields) {
        return spectral::blocks_of(fields * levels) * spectral::lane_width;
    };
    const std::int64_t out = width(model.inverse.shapes.fields);
    const std::int64_t in = width(model.forward.shapes.fields);
    const double* const before = spectral::numbers(model.inverse.spectrum.data());
    const double* const after = spectral::numbers(model.forward.spectrum.data());
    const std::int64_t rows = std::ssize(model.inverse.spectrum) * spectral::lane_width / out;
    double change = 0.0;
    double largest = 0.0;
    for (std::int64_t row = 0; row < rows; ++row) {
        for (std::int64_t k = 0; k < levels; ++k) {
            const double number = before[row * out + sent * levels + k];
            largest = std::max(largest, std::abs(number));
            change = std::max(change, std::abs(after[row * in + back * levels + k] - number));
        }
    }
    return change / largest;
}

}  // namespace

TEST_CASE("fields of PSTSWM that are carried along leave the bits of the others alone") {
    for (const std::int64_t number : {4, 6}) {
        if (is_sanitized && number == 4) continue;
        for (const char* const method : methods) {
            for (const Mesh mesh : meshes) {
                const Settings settings = small_case(number, method);
                const RecordedRun own = run_on_mesh(settings, mesh);
                for (const char* const messages : {"pstswm_fields", "pstswm"}) {
                    CAPTURE(number, method, mesh.px, mesh.py, messages);
                    const Settings given = with_messages(settings, messages);
                    if (!has_data(given, mesh)) continue;
                    const RecordedRun all = run_on_mesh(given, mesh);
                    CHECK(same_bits(all.snapshots.back(), own.snapshots.back()));
                    // Sums and the ring always send the coefficients of three quantities.
                    const bool has_more = mesh.px > 1 || (method == methods[0] && mesh.py > 1);
                    CHECK_EQ(all.traffic.bytes > own.traffic.bytes, has_more);
                }
            }
        }
    }
}

TEST_CASE("with data the messages of PSTSWM are those of the program without data") {
    for (const char* const method : methods) {
        for (const Mesh mesh : meshes) {
            for (const char* const messages : {"own", "pstswm_fields", "pstswm"}) {
                CAPTURE(method, mesh.px, mesh.py, messages);
                const auto settings = [&](std::int64_t steps) {
                    return with_messages(small_case(2, method, steps), messages);
                };
                if (!has_data(settings(1), mesh)) continue;
                if (is_sanitized && (mesh.px == 2 || mesh.py == 1)) continue;
                const auto real = of_a_step(
                    [&](std::int64_t steps) { return run_on_mesh(settings(steps), mesh).traffic; });
                const auto skeleton = of_a_step(
                    [&](std::int64_t steps) { return without_data(settings(steps), mesh); });
                CHECK_EQ(real.messages, skeleton.messages);
                CHECK_EQ(real.bytes, skeleton.bytes);
                Settings under_way = settings(1);
                under_way.set("start", std::string("under_way"));
                CHECK_EQ(real.bytes, without_data(under_way, mesh).bytes);
            }
        }
    }
}

TEST_CASE("with data thirteen fields are transposed in each step of the double transpose") {
    // T21 on 32 x 64, 4 levels, 4 x 4 ranks: everything but the 22 wavenumbers divides evenly.
    const auto step = of_a_step([&](std::int64_t steps) {
        return run_on_mesh(with_messages(small_case(2, "DTH", steps), "pstswm"), {4, 4}).traffic;
    });
    const Bytes lanes = (5 + 8) * 4 * 8;
    const Bytes vectors = 22 * 23 / 2 * 2 * 3 * 4 * 8;
    CHECK_EQ(step.bytes, (32 * 64 + 22 * 32 * 2) * lanes * 3 / 4 + 4 * 2 * vectors * 3 / 4);
    CHECK_EQ(step.messages, 16 * (3 * 4 + 4));
}

TEST_CASE("the messages of PSTSWM differ from its fields by the message that separates halves") {
    const auto step = [&](const char* messages) {
        Settings settings = with_messages(small_case(2, "DR", 1), messages);
        settings.set("start", std::string("under_way"));
        return without_data(settings, {4, 4});
    };
    const auto fields = step("pstswm_fields");
    const auto all = step("pstswm");
    // Two of four ranks exchange with an opposite remainder, in both directions; levels divide
    // evenly.
    CHECK_EQ(fields.messages - all.messages, 2 * 4 * 2);
}

TEST_CASE("the old time level comes back from the grid as it went there") {
    Settings settings = with_messages(small_case(6, "transpose"), "pstswm");
    const ShallowWaterPlan plan = make_plan(settings, 1);
    const ArrayLayout layout(plan, 0);
    ShallowWaterModel model(layout);
    model.set_initial();
    to_spectrum_alone(model, true);
    model.keep_initial();
    // The old time level is the present one in step 0 and still the start in step 1; step 2 is a
    // leapfrog step.
    for (const std::int64_t step : {0, 1, 2}) {
        CAPTURE(step);
        to_grid_alone(model);
        model.multiply(0.0);
        model.carry_old_level(step);
        to_spectrum_alone(model, false);
        const State before = model.before;
        model.synthesise(before);
        CHECK(largest_change(model, plan.levels, vorticity, 5) < 1e-13);
        CHECK(largest_change(model, plan.levels, divergence, 6) < 1e-9);
        CHECK(largest_change(model, plan.levels, geopotential, 7) < 1e-13);
        model.advance(step);
    }
}

TEST_CASE("what only programs without data can send is refused with data") {
    const auto refused = [](Settings settings, Mesh mesh) {
        try {
            (void)run_on_mesh(std::move(settings), mesh);
        } catch (const ConfigError& error) {
            return std::string(error.what());
        }
        return std::string();
    };
    Settings under_way = small_case(2, "DTH");
    under_way.set("start", std::string("under_way"));
    CHECK(refused(under_way, {1, 1}).find("only for programs without data") != std::string::npos);
    const Settings ring = with_messages(small_case(2, "DR"), "pstswm");
    CHECK(refused(ring, {4, 1}).find("dfft across 4 ranks") != std::string::npos);
    CHECK(refused(ring, {1, 3}).find("3 ranks do not divide 4 levels") != std::string::npos);
    CHECK_EQ(refused(ring, {2, 2}), "");
    Settings elsewhere = with_messages(small_case(2, "DTH"), "elsewhere");
    CHECK(refused(elsewhere, {1, 1}).find("known are: own, pstswm_fields, pstswm") !=
          std::string::npos);
    elsewhere = small_case(2, "DTH");
    elsewhere.set("start", std::string("elsewhere"));
    CHECK(refused(elsewhere, {1, 1}).find("known are: initial, under_way") != std::string::npos);
}
