/// Whole time steps: their messages and computation are the sums of those of their parts.
#include "tradewind/skeleton/time_step/time_step.hpp"

#include <cmath>

#include "comm/counting_comm.hpp"
#include "testing.hpp"
#include "tradewind/catalogue/programs.hpp"
#include "tradewind/models/helmholtz/solve.hpp"

using namespace tradewind;
using namespace tradewind::skeleton;

namespace {

using Numbers = std::vector<std::int64_t>;

/// A communicator that adds up the computation of a rank.
class WorkCounter final : public ForwardingComm {
public:
    using ForwardingComm::ForwardingComm;
    [[nodiscard]] PointWork work() const noexcept { return work_; }

private:
    bool begin_wait(Waiting& waiting) override {
        if (waiting.what_for == Waiting::For::compute)
            work_ = work_ + PointWork{waiting.flops, double(waiting.count)};
        return ForwardingComm::begin_wait(waiting);
    }

    PointWork work_;
};

/// Returns the computation of all ranks.
PointWork computed(Rank ranks, const Program& program) {
    std::vector<std::unique_ptr<WorkCounter>> comms(static_cast<std::size_t>(ranks));
    (void)run_ranks(ranks, [&](Comm& comm) {
        auto& counting = comms[std::size_t(comm.rank())];
        counting = std::make_unique<WorkCounter>(comm);
        return program(*counting);
    });
    PointWork sum;
    for (const auto& comm : comms) sum = sum + comm->work();
    return sum;
}

constexpr double points = 36.0 * 30 * 20;

Settings small_step() {
    Settings settings;
    settings.set("grid", Numbers{36, 30, 20});
    return settings;
}

bool is_near(double value, double expected) {
    return std::abs(value - expected) < 1e-6 * expected;
}

}  // namespace

TEST_CASE("a spectral step computes its points, its transforms there and back, and one solution") {
    for (const Rank ranks : {1, 7, 12}) {
        CAPTURE(ranks);
        const PointWork work =
            computed(ranks, find_program("spectral_step").make(small_step(), ranks));
        const double logs = std::log2(36.0) + std::log2(30.0);
        CHECK(is_near(work.flops, points * (5000 + 2 * 5 * 2.5 * logs + 4 * 20)));
        // Six arrivals with 32 bytes of messages and four transforms with 16, for five fields.
        CHECK(is_near(work.memory, points * (5000 + 5 * (6 * 32 + 4 * 16) + 16)));
    }
}

TEST_CASE("a grid-point step computes its points and 25 iterations") {
    for (const Rank ranks : {1, 7, 12}) {
        CAPTURE(ranks);
        const PointWork work =
            computed(ranks, find_program("grid_point_step").make(small_step(), ranks));
        CHECK(is_near(work.flops, points * (5000 + 25 * (21 + 2 * 14))));
        CHECK(is_near(work.memory, points * (5000 + 25 * (40 + 16 * 14))));
    }
}

TEST_CASE("an iteration costs what the solver with data counts, but for the first ones") {
    for (const char* method : {"gcr", "pipelined_gcr"}) {
        const auto difference = [&](const auto& make) {
            Settings few = small_step();
            few.set("method", std::string(method));
            Settings many = few;
            few.set("iterations", std::int64_t{10});
            many.set("iterations", std::int64_t{20});
            const PointWork less = computed(4, make(few));
            const PointWork more = computed(4, make(many));
            return PointWork{more.flops - less.flops, more.memory - less.memory};
        };
        CAPTURE(method);
        const PointWork real = difference(
            [](const Settings& settings) { return find_program("helmholtz").make(settings, 4); });
        const PointWork counted = difference([](const Settings& settings) {
            return find_program("grid_point_step").make(settings, 4);
        });
        CHECK(is_near(counted.flops, real.flops));
        CHECK(is_near(counted.memory, real.memory));
    }
}

TEST_CASE("steps send the halo and what follows it, once for each repetition") {
    const auto sent = [](const char* name, const Settings& settings) {
        return run_counted(12, find_program(name).make(settings, 12)).total();
    };
    Settings twice = small_step();
    twice.set("repeat", std::int64_t{2});
    for (const char* name : {"spectral_step", "grid_point_step"}) {
        CAPTURE(name);
        CHECK_EQ(sent(name, twice).bytes, 2 * sent(name, small_step()).bytes);
    }
    Settings transforms = small_step();
    transforms.set("fields", std::int64_t{5});
    transforms.set("backward", true);
    CHECK_EQ(sent("spectral_step", small_step()),
             sent("semi_lagrangian_halo", small_step()) + sent("transposition", transforms));
    Settings thin = small_step();
    thin.set("width", std::int64_t{1});
    thin.set("repeat", std::int64_t{25});
    thin.set("process_grid", std::string("squarest"));
    CHECK_EQ(sent("grid_point_step", small_step()),
             sent("semi_lagrangian_halo", small_step()) + sent("halo", thin) + sent("gcr", {}));
}

TEST_CASE("estimates of pipelined steps and of steps on demand hold") {
    for (const Rank ranks : {2, 6, 13}) {
        CAPTURE(ranks);
        Settings settings = small_step();
        settings.set("exchange", std::string("on_demand"));
        settings.set("wave_m_s", 10.0);
        settings.set("method", std::string("pipelined_gcr"));
        settings.set("iterations", std::int64_t{4});
        const Counts sent =
            run_counted(ranks, find_program("grid_point_step").make(settings, ranks)).total();
        const Estimate expected = find_program("grid_point_step").estimate(settings, ranks);
        CHECK_EQ(double(sent.messages), expected.messages);
        CHECK_EQ(double(sent.bytes), expected.bytes);
    }
}

TEST_CASE("pipelining halves the reductions of a step, and needs recursive_k") {
    Settings settings = small_step();
    CHECK_EQ(find_program("grid_point_step").operations(settings, 12).front().count, 50);
    settings.set("method", std::string("pipelined_gcr"));
    CHECK_EQ(find_program("grid_point_step").operations(settings, 12).front().count, 25);
    settings.set("algorithm", std::string("ring"));
    CHECK_THROWS_AS((void)find_program("grid_point_step").make(settings, 12), ConfigError);
}
