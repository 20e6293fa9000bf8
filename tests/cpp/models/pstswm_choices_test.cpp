/// The choices of transforms: their options, tuned ones, and their description for a search.
#include "tradewind/models/pstswm/choices.hpp"

#include <algorithm>
#include <vector>

#include "models/model_runs.hpp"
#include "support/messages.hpp"
#include "testing.hpp"
#include "tradewind/catalogue/programs.hpp"

using namespace tradewind;
using namespace tradewind::pstswm;
using support::says;

namespace {

Settings small_case() {
    Settings settings = case_settings(6, 0.0, 900, 21);
    settings.set("steps", std::int64_t{3});
    settings.set("levels", std::int64_t{3});
    return settings;
}

Settings tuned_case(const std::string& lines) {
    Settings settings = small_case();
    settings.set("method", std::string("tuned"));
    settings.set("tuning", "tradewind-tuning 1\n" + lines);
    return settings;
}

std::string refused(const Settings& settings, Rank ranks) {
    try {
        (void)make_plan(settings, ranks);
    } catch (const ConfigError& error) {
        return error.what();
    }
    return {};
}

constexpr const char* on_4_by_2 =
    "pstswm.fft 4 0 9223372036854775807 ring_k 3 - (0,3)\n"
    "pstswm.legendre 2 0 9223372036854775807 transpose.spread_out - 7 -\n";

}  // namespace

TEST_CASE("an algorithm of either transform has options of its own") {
    Settings settings = small_case();
    settings.set("protocol", std::string("(1,6)"));
    settings.set("fft", std::string("ring_k:radix=3,protocol=(0,3)"));
    settings.set("legendre", std::string("sum.tree:radix=5"));
    const ShallowWaterPlan plan = make_plan(settings, 8);
    CHECK_EQ(plan.fft.algorithm->name, std::string_view("ring_k"));
    CHECK_EQ(plan.fft.options.radix, 3);
    CHECK(plan.fft.options.protocol == Protocol(0, 3));
    CHECK(plan.legendre == LegendreMethod::sum);
    CHECK_EQ(plan.legendre_sum.algorithm->name, std::string_view("tree"));
    CHECK_EQ(plan.legendre_sum.options.radix, 5);
    CHECK(plan.legendre_sum.options.protocol == Protocol(1, 6));
    settings.set("fft", std::string("dfft:protocol=(2,3)"));
    settings.set("legendre", std::string("ringpipe:protocol=(0,1)"));
    const ShallowWaterPlan distributed = make_plan(settings, 8);
    CHECK(distributed.fft_method == FftMethod::distributed);
    CHECK(distributed.dfft_options.protocol == Protocol(2, 3));
    CHECK(distributed.ring_options.protocol == Protocol(0, 1));
}

TEST_CASE("a tuned model takes both transforms from the table, with the bits of the default") {
    const Settings settings = tuned_case(on_4_by_2);
    const RecordedRun run = run_on_mesh(settings, {4, 2});
    CHECK_EQ(run.plan.fft.algorithm->name, std::string_view("ring_k"));
    CHECK_EQ(run.plan.fft.options.radix, 3);
    CHECK(run.plan.legendre == LegendreMethod::transpose);
    CHECK_EQ(run.plan.legendre_transpose.algorithm->name, std::string_view("spread_out"));
    CHECK_EQ(run.plan.legendre_transpose.options.window, 7);
    const RecordedRun usual = run_on_mesh(small_case(), {4, 2});
    CHECK(same_bits(run.snapshots.back(), usual.snapshots.back()));
    // An operation that involves one rank only needs no entry, and a setting overrides the tuning.
    CHECK_EQ(refused(tuned_case("pstswm.fft 4 0 9 ring - - -\n"), 1), std::string());
    Settings given = settings;
    given.set("legendre", std::string("sum"));
    CHECK(make_plan(given, 8).legendre == LegendreMethod::sum);
}

TEST_CASE("wrong choices are refused with what is expected") {
    Settings settings = small_case();
    const auto complaint = [&](const char* key, const char* value) {
        Settings wrong = settings;
        wrong.set(key, std::string(value));
        return refused(wrong, 4);
    };
    CHECK(says(complaint("method", "tuned"), "\"tuning\" is missing"));
    CHECK(says(complaint("fft", "ring:radix=2"), "ring has no radix"));
    CHECK(says(complaint("fft", "dfft:radix=2"), "dfft has no radix"));
    CHECK(says(complaint("legendre", "scan.ring"), "known are: transpose, sum, ringpipe"));
    CHECK(says(complaint("legendre", "sum:radix=2"), "expected transpose.ALGORITHM"));
    CHECK(says(complaint("legendre", "ringpipe.ring"), "expected transpose.ALGORITHM"));
    CHECK(says(complaint("legendre", "sum.magic"), "magic"));
    CHECK(says(refused(tuned_case("allreduce 4 0 9 ring - - -\n"), 4), "was not tuned"));
    // The case was tuned for 4 ranks in a row, but there are 3.
    Settings three = tuned_case("pstswm.fft 4 0 9 dfft - - -\n");
    three.set("processes", std::vector<std::int64_t>{3, 1});
    CHECK(says(refused(three, 3), "px must be a power of two"));
}

TEST_CASE("every way of every choice of a model makes a plan") {
    const auto uses = operations(small_case(), 4);
    CHECK_EQ(uses.size(), 2U);
    for (const Way& way : ways()) {
        CAPTURE(way.operation, way.name);
        const auto use = std::ranges::find(uses, way.operation, &OperationUse::operation);
        Settings settings = small_case();
        settings.set("processes", std::vector<std::int64_t>{2, 2});
        std::string words = way.name;
        for (const Declaration& option : way.options) {
            const auto* const usual = option.otherwise.get_if<std::int64_t>();
            if (option.key == options::radix.key) words += text(":radix=", *usual);
        }
        settings.set(use->key, words);
        CHECK_EQ(refused(settings, 4), std::string());
        if (!way.reads(options::protocol)) continue;
        settings.set(use->key, words + (words == way.name ? ":" : ",") + "protocol=(1,6)");
        CHECK_EQ(refused(settings, 4), std::string());
    }
}

TEST_CASE("the blocks of the transforms are those that the transposition sends on average") {
    Settings settings = small_case();
    settings.set("levels", std::int64_t{16});
    settings.set("start", std::string("under_way"));
    settings.set("steps", std::int64_t{1});
    for (const Mesh mesh : {Mesh{4, 1}, Mesh{1, 4}}) {
        settings.set("processes", std::vector<std::int64_t>{mesh.px, mesh.py});
        const auto uses = operations(settings, 4);
        CHECK_EQ(uses.size(), 1U);
        const ShallowWaterPlan plan = make_plan(settings, 4);
        const auto traffic =
            simcomm::run_virtual(4, [&](Comm& comm) { return run_skeleton(comm, plan); });
        // Per step two exchanges of 4 and 5 fields in a row, one in a column; blocks to 3 others.
        // Only one of the two in a row, that of grid points, has the reported size.
        const double in_row = 0.5 * (1 + 2.0 * 22 / double(plan.longitudes));
        const double sent = mesh.px > 1 ? 2 * (4 + 5) / 4.0 * in_row : (4 + 5) / 4.0;
        const double expected = sent * 12 * double(uses[0].bytes);
        CHECK(std::abs(double(traffic.bytes) - expected) < 0.02 * expected);
    }
}

TEST_CASE("the exchange of the advection is taken from a tuning") {
    const ProgramEntry* const model = &find_program("semi_lagrangian");
    Settings settings;
    settings.set("grid", std::vector<std::int64_t>{24, 12, 4});
    const auto uses = model->operations(settings, 4);
    CHECK_EQ(uses.size(), 1U);
    CHECK_EQ(uses[0].key, std::string("exchange"));
    settings.set("exchange", std::string("tuned"));
    const std::string line =
        text("semi_lagrangian.exchange 4 0 ", uses[0].bytes, " on_demand - - -");
    settings.set("tuning", "tradewind-tuning 1\n" + line + "\n");
    (void)model->make(settings, 4);
    CHECK(tuning_remarks(*model, settings, 4).empty());
    CHECK_EQ(tuning_remarks(*model, settings, 2).size(), 1U);
    settings.set("tuning",
                 std::string("tradewind-tuning 1\nsemi_lagrangian.exchange 4 0 9 far - - -\n"));
    CHECK_THROWS_AS(model->make(settings, 4), ConfigError);
}
