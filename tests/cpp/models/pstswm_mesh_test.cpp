/// The model on meshes of virtual ranks: same bits by transposition, same numbers by sums, and the
/// same messages without data.
#include <algorithm>
#include <cmath>
#include <span>

#include "models/model_runs.hpp"

#include "testing.hpp"
#include "tradewind/catalogue/programs.hpp"
#include "tradewind/models/pstswm/parallel/layout.hpp"

using namespace tradewind;
using namespace tradewind::pstswm;

namespace {

const Mesh meshes[] = {{2, 1}, {1, 2}, {2, 2}, {3, 2}, {4, 4}, {1, 8}, {7, 1}, {5, 3}, {22, 2}};

/// Returns settings of case 6, which has waves in all directions, with 3 levels, which divide
/// evenly on no mesh.
Settings small_case() {
    Settings settings = case_settings(6, 0.0, 900, 21);
    settings.set("steps", std::int64_t{5});
    settings.set("levels", std::int64_t{3});
    settings.set("diffusion_m4_s", 1e16);
    settings.set("asselin", 0.02);
    return settings;
}

double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
    double largest = 0.0;
    for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
    return largest;
}

/// Checks that the last fields of a run on each of the meshes differ from the serial ones by
/// rounding only.
void check_rounding(Settings settings, const Snapshot& serial, std::span<const Mesh> on) {
    for (const Mesh mesh : on) {
        CAPTURE(mesh.px, mesh.py);
        const RecordedRun parallel = run_on_mesh(settings, mesh);
        const Snapshot& found = parallel.snapshots.back();
        CHECK(largest_difference(found.depth, serial.depth) < 1e-9);
        CHECK(largest_difference(found.east_wind, serial.east_wind) < 1e-10);
        CHECK(largest_difference(found.north_wind, serial.north_wind) < 1e-10);
        CHECK(largest_difference(found.vorticity, serial.vorticity) < 1e-15);
    }
}

}  // namespace

TEST_CASE("transpositions give the same bits on every mesh") {
    for (const std::int64_t number : {4, 5, 6}) {
        Settings settings = small_case();
        settings.set("case", number);
        const RecordedRun serial = run_on_mesh(settings);
        for (const Mesh mesh : meshes) {
            CAPTURE(number, mesh.px, mesh.py);
            const RecordedRun parallel = run_on_mesh(settings, mesh);
            CHECK_EQ(parallel.snapshots.size(), 2U);
            CHECK(same_bits(parallel.snapshots.back(), serial.snapshots.back()));
        }
    }
}

TEST_CASE("transpositions give the same bits with every alltoallv") {
    const RecordedRun serial = run_on_mesh(small_case());
    for (const AlltoallvAlgorithm& algorithm : alltoallv_algorithms()) {
        CAPTURE(algorithm.name);
        Settings settings = small_case();
        settings.set("fft", std::string(algorithm.name));
        settings.set("legendre_alltoallv", std::string(algorithm.name));
        const RecordedRun parallel = run_on_mesh(settings, {4, 3});
        CHECK(same_bits(parallel.snapshots.back(), serial.snapshots.back()));
    }
}

TEST_CASE(
    "distributed Legendre sums agree with the serial model to rounding, with every allreduce") {
    const RecordedRun serial = run_on_mesh(small_case());
    constexpr Mesh on[] = {{1, 2}, {2, 3}, {3, 4}, {2, 16}};
    for (const AllreduceAlgorithm& algorithm : allreduce_algorithms()) {
        CAPTURE(algorithm.name);
        Settings settings = small_case();
        settings.set("legendre", std::string("sum"));
        settings.set("legendre_allreduce", std::string(algorithm.name));
        check_rounding(settings, serial.snapshots.back(), on);
    }
}

TEST_CASE("Fourier transforms across ranks and the Legendre ring agree with the serial model") {
    const RecordedRun serial = run_on_mesh(small_case());
    constexpr Mesh on[] = {{1, 1}, {2, 1}, {1, 2}, {4, 3}, {8, 2}, {16, 1}, {2, 5}};
    const std::pair<const char*, const char*> choices[] = {
        {"dfft", "transpose"}, {"dfft", "sum"}, {"ring", "ringpipe"}, {"dfft", "ringpipe"}};
    for (const auto& [fft, legendre] : choices) {
        CAPTURE(fft, legendre);
        Settings settings = small_case();
        settings.set("fft", std::string(fft));
        settings.set("legendre", std::string(legendre));
        check_rounding(settings, serial.snapshots.back(), on);
    }
}

TEST_CASE("every protocol gives the same bits as the default, in all methods") {
    for (const char* const method : {"transpose", "DTH", "DR"}) {
        Settings settings = small_case();
        settings.set("method", std::string(method));
        const RecordedRun plain = run_on_mesh(settings, {4, 2});
        for (const ProtocolEntry& protocol : protocols()) {
            CAPTURE(method, protocol.name);
            settings.set("protocol", std::string(protocol.name));
            const RecordedRun other = run_on_mesh(settings, {4, 2});
            CHECK(same_bits(other.snapshots.back(), plain.snapshots.back()));
            const std::int64_t go_aheads = other.traffic.messages - plain.traffic.messages;
            CHECK_EQ(protocol.protocol.calls().go_ahead, go_aheads > 0);
            CHECK_EQ(other.traffic.bytes, plain.traffic.bytes);
        }
    }
}

TEST_CASE("puts give the same bits as two-sided messages, in all methods and on all meshes") {
    for (const char* const method : {"transpose", "DTH", "DR"}) {
        for (const Mesh mesh : {Mesh{1, 1}, {2, 1}, {1, 2}, {4, 2}, {2, 5}, {8, 1}}) {
            Settings settings = small_case();
            settings.set("method", std::string(method));
            const RecordedRun plain = run_on_mesh(settings, mesh);
            settings.set("transport", std::string("puts"));
            for (const char* const protocol : {"default", "(0,0)", "(0,2)", "(1,1)", "(2,1)"}) {
                CAPTURE(method, mesh.px, mesh.py, protocol);
                settings.set("protocol", std::string(protocol));
                const RecordedRun other = run_on_mesh(settings, mesh);
                CHECK(same_bits(other.snapshots.back(), plain.snapshots.back()));
                CHECK_EQ(other.traffic.bytes, plain.traffic.bytes);
            }
        }
    }
}

TEST_CASE("by puts every algorithm of the exchanges finds its messages short enough") {
    const Mesh mesh{3, 5};
    const auto check = [&](const std::string& key, const auto& algorithm) {
        if (!algorithm.has_protocols) return;
        CAPTURE(key, algorithm.name);
        Settings settings = small_case();
        if (key == "legendre_allreduce") settings.set("legendre", std::string("sum"));
        settings.set(key, std::string(algorithm.name));
        const RecordedRun plain = run_on_mesh(settings, mesh);
        settings.set("transport", std::string("puts"));
        CHECK(same_bits(run_on_mesh(settings, mesh).snapshots.back(), plain.snapshots.back()));
    };
    for (const AlltoallvAlgorithm& algorithm : alltoallv_algorithms()) {
        check("fft", algorithm);
        check("legendre_alltoallv", algorithm);
    }
    for (const AllreduceAlgorithm& algorithm : allreduce_algorithms())
        check("legendre_allreduce", algorithm);
}

TEST_CASE("without data puts carry the messages of PSTSWM itself, too") {
    for (const char* const method : {"transpose", "DTH", "DR"}) {
        for (const Mesh mesh : {Mesh{4, 1}, {1, 3}, {2, 3}, {4, 4}}) {
            CAPTURE(method, mesh.px, mesh.py);
            Settings settings = small_case();
            settings.set("method", std::string(method));
            settings.set("messages", std::string("pstswm"));
            settings.set("start", std::string("under_way"));
            settings.set("processes", std::vector<std::int64_t>{mesh.px, mesh.py});
            const Rank ranks = mesh.px * mesh.py;
            const auto traffic = [&] {
                return simcomm::run_virtual(ranks, find_program("pstswm").make(settings, ranks));
            };
            const auto two_sided = traffic();
            settings.set("transport", std::string("puts"));
            const auto by_puts = traffic();
            CHECK_EQ(by_puts.bytes, two_sided.bytes);
            CHECK_EQ(by_puts.messages, 2 * two_sided.messages);
        }
    }
}

TEST_CASE("puts refuse protocols and algorithms that they cannot carry") {
    const auto refused = [](const char* key, const char* value) {
        Settings settings = small_case();
        settings.set("transport", std::string("puts"));
        settings.set(key, std::string(value));
        try {
            (void)make_plan(settings, 4);
        } catch (const ConfigError& error) {
            return std::string(error.what());
        }
        return std::string();
    };
    CHECK(refused("protocol", "(0,6)").find("puts cannot carry the protocol (0,6)") !=
          std::string::npos);
    CHECK(refused("fft", "burst").find("burst sends two-sided messages only") != std::string::npos);
    CHECK_EQ(refused("protocol", "(2,1)"), "");
}

TEST_CASE("all levels are the same, and the same as one alone") {
    Settings settings = small_case();
    const RecordedRun several = run_on_mesh(settings, {2, 2});
    settings.set("levels", std::int64_t{1});
    const RecordedRun one = run_on_mesh(settings);
    const auto& all = several.snapshots.back().depth;
    const auto& alone = one.snapshots.back().depth;
    CHECK_EQ(all.size(), 3 * alone.size());
    for (std::size_t i = 0; i < all.size(); ++i) CHECK_EQ(all[i], alone[i % alone.size()]);
}

TEST_CASE("without data the model sends the same messages, those of gathering aside") {
    for (const char* const method : {"transpose", "DTH", "DR"}) {
        for (const Mesh mesh : {Mesh{1, 1}, {2, 1}, {1, 3}, {2, 3}, {4, 4}}) {
            CAPTURE(method, mesh.px, mesh.py);
            Settings settings = small_case();
            settings.set("method", std::string(method));
            const Rank ranks = mesh.px * mesh.py;
            const RecordedRun real = run_on_mesh(settings, mesh);
            const Program skeleton = [&](Comm& comm) { return run_skeleton(comm, real.plan); };
            const auto sent = simcomm::run_virtual(ranks, skeleton);
            // Each of the two snapshots costs P - 1 messages and two transforms to the grid.
            const ArrayLayout layout(real.plan, 0);
            const std::int64_t points = real.plan.latitudes * real.plan.longitudes;
            const std::int64_t rank0 = 2 * layout.own_pairs() * layout.own_longitudes();
            const Bytes gathered = 2 * (points - rank0) * 5 * 3 * 8;
            Settings longer = settings;
            longer.set("steps", std::int64_t{6});
            longer.set("processes", std::vector<std::int64_t>{mesh.px, mesh.py});
            const ShallowWaterPlan plan = make_plan(longer, ranks);
            const auto one_more =
                simcomm::run_virtual(ranks, [&](Comm& comm) { return run_skeleton(comm, plan); });
            const Bytes step_bytes = one_more.bytes - sent.bytes;
            const Bytes to_grid_twice_twice = real.traffic.bytes - gathered - sent.bytes;
            CHECK(to_grid_twice_twice >= 0);
            CHECK((ranks == 1) == (step_bytes == 0));
            CHECK(to_grid_twice_twice <= 4 * step_bytes);
        }
    }
}

TEST_CASE("messages and bytes of a step are those of the transpositions and the sum") {
    // T21 on 32 x 64, 4 levels, 4 x 4 ranks: everything but the 22 wavenumbers divides evenly.
    Settings settings = small_case();
    settings.set("levels", std::int64_t{4});
    settings.set("processes", std::vector<std::int64_t>{4, 4});
    const auto traffic = [&](const char* legendre, std::int64_t steps) {
        settings.set("legendre", std::string(legendre));
        settings.set("steps", steps);
        const ShallowWaterPlan plan = make_plan(settings, 16);
        return simcomm::run_virtual(16, [&](Comm& comm) { return run_skeleton(comm, plan); });
    };
    // Four fields are sent to the grid and five back; all but a quarter of the data is sent in
    // rows.
    const Bytes lanes = (4 + 5) * 4 * 8;
    const Bytes grid = 32 * 64 * lanes * 3 / 4;
    const Bytes waves = 22 * 32 * 2 * lanes * 3 / 4;
    const auto transposed = traffic("transpose", 2).bytes - traffic("transpose", 1).bytes;
    CHECK_EQ(transposed, grid + 2 * waves);
    const auto messages = traffic("transpose", 2).messages - traffic("transpose", 1).messages;
    CHECK_EQ(messages, 16 * 3 * 6);
    // Halfsum sends 2 V (1 - 1/P) bytes and 2 log2 P messages per rank, with V the tendencies of a
    // column of ranks.
    const Bytes vectors = 22 * 23 / 2 * 2 * 3 * 4 * 8;
    const auto summed = traffic("sum", 2).bytes - traffic("sum", 1).bytes;
    CHECK_EQ(summed, grid + waves + 4 * 2 * vectors * 3 / 4);
    CHECK_EQ(traffic("sum", 2).messages - traffic("sum", 1).messages, 16 * (3 * 4 + 4));
    // dfft has log2 P stages of all local data, and a message to the opposite remainder if there is
    // one (2 of 4 ranks); ringpipe has P - 1 messages and V (1 - 1/P) bytes each way.
    settings.set("method", std::string("DR"));
    const auto ring = [&](std::int64_t steps) {
        Settings without = settings;
        without.set("legendre", std::string("ringpipe"));
        without.set("steps", steps);
        const ShallowWaterPlan plan = make_plan(without, 16);
        return simcomm::run_virtual(16, [&](Comm& comm) { return run_skeleton(comm, plan); });
    };
    CHECK_EQ(ring(2).messages - ring(1).messages, 16 * (2 * 2 + 2 * 3) + 2 * 8);
    const Bytes whole = 32 * 64 * lanes;
    const Bytes forward_mirror = 32 * 64 * Bytes(5 * 4 * 8) / 2;
    // Eleven of the wavenumbers 0..21 have remainder 1 or 3.
    const Bytes inverse_mirror = 11 * 32 * 2 * Bytes(4 * 4 * 8);
    CHECK_EQ(ring(2).bytes - ring(1).bytes,
             2 * whole + forward_mirror + inverse_mirror + 2 * vectors * 4 * 3 / 4);
}

TEST_CASE("with PSTSWM's messages five fields come to the grid and eight go back") {
    // T21 on 32 x 64, 4 levels, 4 x 4 ranks, as above.
    Settings settings = small_case();
    settings.set("case", std::int64_t{2});
    settings.set("levels", std::int64_t{4});
    settings.set("processes", std::vector<std::int64_t>{4, 4});
    settings.set("messages", std::string("pstswm"));
    settings.set("start", std::string("under_way"));
    const auto traffic = [&](const char* method, std::int64_t steps) {
        settings.set("method", std::string(method));
        settings.set("steps", steps);
        const ShallowWaterPlan plan = make_plan(settings, 16);
        return simcomm::run_virtual(16, [&](Comm& comm) { return run_skeleton(comm, plan); });
    };
    const Bytes lanes = (5 + 8) * 4 * 8;
    const Bytes grid = 32 * 64 * lanes * 3 / 4;
    const Bytes waves = 22 * 32 * 2 * lanes * 3 / 4;
    CHECK_EQ(traffic("transpose", 1).bytes, grid + 2 * waves);
    CHECK_EQ(traffic("transpose", 3).bytes, 3 * (grid + 2 * waves));
    CHECK_EQ(traffic("transpose", 3).messages, 3 * 16 * 3 * 6);
    // Two stages of all local data each way, and three blocks of coefficients each way.
    const Bytes vectors = 22 * 23 / 2 * 2 * 3 * 4 * 8;
    CHECK_EQ(traffic("DR", 1).messages, 16 * (2 * 2 + 2 * 3));
    CHECK_EQ(traffic("DR", 1).bytes, 2 * 32 * 64 * lanes + 2 * vectors * 4 * 3 / 4);
}
