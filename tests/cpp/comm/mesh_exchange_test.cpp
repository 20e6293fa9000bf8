/// The exchange between parts of a mesh: sums and traces of a periodic grid of square elements.
#include <cmath>

#include "counting_comm.hpp"
#include "support/messages.hpp"
#include "support/ranks.hpp"
#include "testing.hpp"
#include "tradewind/base/errors.hpp"
#include "tradewind/comm/mesh/mesh_exchange.hpp"
#include "tradewind/comm/mesh/mesh_options.hpp"
#include "tradewind/comm/neighbor/neighbor.hpp"
#include "tradewind/comm/verification/mesh.hpp"

using namespace tradewind;

namespace {

constexpr std::int64_t columns = 6;
constexpr std::int64_t rows = 5;
constexpr std::int64_t items = columns * rows;
constexpr int np = 3;
constexpr int points = np * np;
constexpr std::int64_t layers[] = {4, 1};
constexpr std::int64_t all_layers = 5;

/// The displacement of the neighbour across share n, and the share of the neighbour.
struct Side {
    std::int64_t di;
    std::int64_t dj;
    std::int32_t opposite;
};
constexpr Side sides[] = {{0, -1, 2},  {1, 0, 3},  {0, 1, 0}, {-1, 0, 1},
                          {-1, -1, 6}, {1, -1, 7}, {1, 1, 4}, {-1, 1, 5}};

std::vector<std::int32_t> points_of(std::size_t side) {
    std::vector<std::int32_t> found;
    for (int j = 0; j < np; ++j) {
        for (int i = 0; i < np; ++i) {
            const bool is_i = sides[side].di == 0 || i == (sides[side].di > 0 ? np - 1 : 0);
            const bool is_j = sides[side].dj == 0 || j == (sides[side].dj > 0 ? np - 1 : 0);
            if (is_i && is_j) found.push_back(std::int32_t(j * np + i));
        }
    }
    return found;
}

/// Returns the shares of an item; traces arrive at side * np + k.
std::vector<ItemShare> shares_of(std::int64_t item, bool traces) {
    std::vector<ItemShare> shares;
    for (std::size_t n = 0; n < 8; ++n) {
        const std::int64_t i = (item % columns + sides[n].di + columns) % columns;
        const std::int64_t j = (item / columns + sides[n].dj + rows) % rows;
        ItemShare share{j * columns + i, sides[n].opposite, points_of(n), {}};
        for (std::size_t k = 0; k < share.sends.size(); ++k)
            share.receives.push_back(traces ? std::int32_t(n * np + k) : share.sends[k]);
        shares.push_back(share);
    }
    return shares;
}

/// The ways to give items to ranks.
enum class Owners : std::uint8_t { blocks, scattered, all_but_last };

Rank owner_of(Owners owners, std::int64_t item, Rank ranks) {
    switch (owners) {
        case Owners::blocks:
            return item * ranks / items;
        case Owners::scattered:
            return (item * 7 + item / 3) % ranks;
        default:
            return ranks > 1 ? item % (ranks - 1) : 0;
    }
}

MeshPart part_of(Owners owners, Rank rank, Rank ranks, bool traces) {
    MeshPart part;
    for (std::int64_t item = 0; item < items; ++item)
        if (owner_of(owners, item, ranks) == rank) part.items.push_back(item);
    part.points_per_item = points;
    if (traces) part.receiving_points_per_item = 8 * np;
    part.owner = [=](std::int64_t item) { return owner_of(owners, item, ranks); };
    part.shares = [=](std::int64_t item) { return shares_of(item, traces); };
    return part;
}

double value_at(std::int64_t item, std::int64_t point, std::int64_t layer) {
    return std::sin(double(item * 131 + point * 17 + layer)) * std::exp(double((item + point) % 7));
}

/// Two fields: one with layers in blocks of three, the other with layers that are not adjacent.
struct TwoFields {
    explicit TwoFields(std::size_t count) : first(count * 8), second(count * 2) {}
    /// Returns the place of a layer of the first field at point n.
    [[nodiscard]] static std::size_t place(std::size_t n, std::size_t layer) {
        return n * 8 + layer / 3 * 4 + layer % 3;
    }
    [[nodiscard]] std::array<MeshField, 2> views() {
        return {MeshField{first.data(), 8, layers[0], 1, 3, 4},
                MeshField{second.data(), 2, layers[1], 2}};
    }
    std::vector<double> first;
    std::vector<double> second;
};

TwoFields own_values(const MeshPart& part) {
    TwoFields fields(part.items.size() * points);
    for (std::size_t n = 0; n < part.items.size() * points; ++n) {
        const std::int64_t item = part.items[n / points];
        for (std::int64_t k = 0; k < 4; ++k)
            fields.first[TwoFields::place(n, std::size_t(k))] =
                value_at(item, std::int64_t(n % points), k);
        fields.second[n * 2] = value_at(item, std::int64_t(n % points), 4);
    }
    return fields;
}

/// Collects the sums, or traces, of all items: [item][point][5].
using Result = std::vector<double>;

Task run_one(Comm& comm, Owners owners, MeshExchangeOptions options, std::vector<Result>& results) {
    const bool traces = options.combination == MeshCombination::copy;
    const MeshPart part = part_of(owners, comm.rank(), comm.size(), traces);
    TwoFields fields = own_values(part);
    const auto kept = std::size_t(part.receiving_points());
    TwoFields target(traces ? part.items.size() * kept : 0);
    MeshExchange exchange(comm, part, all_layers, options, true);
    co_await exchange.connect(comm);
    auto from = fields.views();
    auto into = traces ? target.views() : fields.views();
    co_await exchange.send(comm, from);
    co_await exchange.receive(comm, from, into);
    co_await exchange.finish(comm);
    const TwoFields& result = traces ? target : fields;
    for (std::size_t n = 0; n < part.items.size() * kept; ++n) {
        const std::size_t item = std::size_t(part.items[n / kept]);
        Result& whole = results[std::size_t(comm.rank())];
        double* const at = whole.data() + (item * kept + n % kept) * all_layers;
        for (std::size_t k = 0; k < 4; ++k) at[k] = result.first[TwoFields::place(n, k)];
        at[4] = result.second[n * 2];
    }
}

Result run(Rank ranks, Owners owners, const MeshExchangeOptions& options) {
    const bool traces = options.combination == MeshCombination::copy;
    const std::size_t size = std::size_t(items * (traces ? 8 * np : points) * all_layers);
    std::vector<Result> results(std::size_t(ranks), Result(size, 0.0));
    run_ranks(ranks, [&](Comm& comm) { return run_one(comm, owners, options, results); });
    share_all(results);
    Result whole(size, 0.0);
    for (Rank rank = 0; rank < ranks; ++rank) {
        const std::size_t item_size = size / std::size_t(items);
        for (std::int64_t item = 0; item < items; ++item) {
            if (owner_of(owners, item, ranks) != rank) continue;
            std::copy_n(results[std::size_t(rank)].data() + std::size_t(item) * item_size,
                        item_size, whole.data() + std::size_t(item) * item_size);
        }
    }
    return whole;
}

/// Returns the sums or traces by a direct loop.
Result expected(bool traces) {
    const std::size_t kept = traces ? 8 * np : points;
    Result result(std::size_t(items) * kept * all_layers, 0.0);
    for (std::int64_t item = 0; item < items; ++item) {
        const auto at = [&](std::size_t point, std::int64_t k) -> double& {
            return result[(std::size_t(item) * kept + point) * all_layers + std::size_t(k)];
        };
        for (std::int64_t p = 0; !traces && p < points; ++p)
            for (std::int64_t k = 0; k < all_layers; ++k)
                at(std::size_t(p), k) = value_at(item, p, k);
        for (const ItemShare& share : shares_of(item, traces)) {
            const ItemShare other = shares_of(share.item, traces)[std::size_t(share.share)];
            for (std::size_t n = 0; n < share.receives.size(); ++n) {
                for (std::int64_t k = 0; k < all_layers; ++k)
                    at(std::size_t(share.receives[n]), k) +=
                        value_at(share.item, other.sends[n], k);
            }
        }
    }
    return result;
}

double difference(const Result& a, const Result& b) {
    double largest = a.size() == b.size() ? 0.0 : 1e30;
    for (std::size_t n = 0; n < a.size(); ++n) largest = std::max(largest, std::abs(a[n] - b[n]));
    return largest;
}

std::vector<MeshExchangeOptions> all_options() {
    std::vector<MeshExchangeOptions> all;
    for (const auto combination : {MeshCombination::sum, MeshCombination::copy}) {
        for (const auto order : {MeshOrder::fixed, MeshOrder::arrival}) {
            MeshExchangeOptions options;
            options.combination = combination;
            options.order = order;
            options.schedule = MeshSchedule::on_arrival;
            all.push_back(options);
            options.algorithm = "persistent";
            all.push_back(options);
            options.algorithm.clear();
            options.schedule = MeshSchedule::in_order;
            all.push_back(options);
            options.schedule = MeshSchedule::synchronous;
            all.push_back(options);
            for (const NeighborAlgorithm& algorithm : neighbor_algorithms()) {
                options.algorithm = std::string(algorithm.name);
                all.push_back(options);
            }
        }
    }
    return all;
}

}  // namespace

TEST_CASE("every exchange gives every item the sum or the traces of its neighbours") {
    const Result sums = expected(false);
    const Result traces = expected(true);
    for (const MeshExchangeOptions& options : all_options()) {
        for (const Owners owners : {Owners::blocks, Owners::scattered, Owners::all_but_last}) {
            // Processes that share cores take long for each exchange.
            if (!ranks_are_virtual() && owners != Owners::scattered) continue;
            for (const Rank ranks : runnable({1, 2, 3, 4, 7, 8, 30, 33})) {
                CAPTURE(int(options.combination), int(options.schedule), int(options.order),
                        options.algorithm, int(owners), ranks);
                const Result result = run(ranks, owners, options);
                const bool is_copy = options.combination == MeshCombination::copy;
                const bool adds_on_arrival = options.order == MeshOrder::arrival &&
                                             options.schedule != MeshSchedule::synchronous;
                const double error = difference(result, is_copy ? traces : sums);
                CHECK(adds_on_arrival && !is_copy ? error < 1e-12 : error == 0.0);
            }
        }
    }
}

TEST_CASE("exchanges that are under way at once do not mix") {
    const Rank ranks = some_ranks(4);
    std::vector<double> errors(std::size_t(ranks), 0.0);
    run_ranks(ranks, [&](Comm& comm) {
        return [](Comm& each, std::vector<double>& found) -> Task {
            const MeshPart part = part_of(Owners::scattered, each.rank(), each.size(), true);
            MeshExchangeOptions options;
            options.combination = MeshCombination::copy;
            options.schedule = MeshSchedule::on_arrival;
            MeshExchange first(each, part, 1, options, true);
            options.tag = 1;
            MeshExchange second(each, part, 1, options, true);
            const std::size_t count = part.items.size() * points;
            std::vector<double> ones(count, 1.0);
            std::vector<double> twos(count, 2.0);
            std::vector<double> traces(part.items.size() * 8 * np);
            std::vector<double> others(traces.size());
            const MeshField one{ones.data(), 1, 1, 1};
            const MeshField two{twos.data(), 1, 1, 1};
            const MeshField to_traces{traces.data(), 1, 1, 1};
            const MeshField to_others{others.data(), 1, 1, 1};
            co_await first.send(each, {&one, 1});
            co_await second.send(each, {&two, 1});
            co_await second.receive(each, {&two, 1}, {&to_others, 1});
            co_await first.receive(each, {&one, 1}, {&to_traces, 1});
            co_await first.finish(each);
            co_await second.finish(each);
            for (std::size_t n = 0; n < traces.size(); ++n) {
                // Corners fill one of three places.
                const bool is_used = n % (8 * np) < 4 * np || n % np == 0;
                if (is_used && (traces[n] != 1.0 || others[n] != 2.0))
                    found[std::size_t(each.rank())] += 1.0;
            }
        }(comm, errors);
    });
    for (const Rank rank : visible(ranks)) CHECK(errors[std::size_t(rank)] == 0.0);
}

TEST_CASE("in order a rank waits for one source after the other") {
    if (!ranks_are_virtual()) return;
    const auto waits = [](MeshSchedule schedule) {
        const Program program = [schedule](Comm& comm) {
            return [](Comm& each, MeshSchedule when) -> Task {
                const MeshPart part = part_of(Owners::scattered, each.rank(), each.size(), false);
                TwoFields fields = own_values(part);
                auto views = fields.views();
                MeshExchangeOptions options;
                options.schedule = when;
                MeshExchange exchange(each, part, all_layers, options, true);
                co_await exchange.exchange(each, views);
                co_await exchange.finish(each);
            }(comm, schedule);
        };
        return run_counted(7, program).waits[3];
    };
    CHECK(waits(MeshSchedule::synchronous).most_open > 2);
    CHECK(waits(MeshSchedule::in_order).count > waits(MeshSchedule::synchronous).count);
}

TEST_CASE("without data the same messages take the same simulated time") {
    if (!ranks_are_virtual()) return;
    for (const auto schedule :
         {MeshSchedule::synchronous, MeshSchedule::on_arrival, MeshSchedule::in_order}) {
        Picoseconds times[2] = {};
        for (const bool has_data : {false, true}) {
            times[has_data ? 1 : 0] = run_ranks(7, [=](Comm& comm) {
                return [](Comm& each, MeshSchedule when, bool data) -> Task {
                    const MeshPart part = part_of(Owners::blocks, each.rank(), each.size(), false);
                    TwoFields fields = own_values(part);
                    auto views = fields.views();
                    if (!data) views[0].values = views[1].values = nullptr;
                    MeshExchangeOptions options;
                    options.schedule = when;
                    MeshExchange exchange(each, part, all_layers, options, data);
                    for (int n = 0; n < 3; ++n) co_await exchange.exchange(each, views);
                    co_await exchange.finish(each);
                }(comm, schedule, has_data);
            });
        }
        CHECK_EQ(times[0], times[1]);
    }
}

TEST_CASE("an exchange refuses shares and options that do not fit") {
    const auto attempt = [](const MeshPart& part, const MeshExchangeOptions& options,
                            std::int64_t count = 1) {
        run_ranks(some_ranks(1), [&](Comm& comm) {
            return [](Comm& each, const MeshPart& its_part, MeshExchangeOptions its_options,
                      std::int64_t its_layers) -> Task {
                const MeshExchange exchange(each, its_part, its_layers, std::move(its_options),
                                            true);
                co_return;
            }(comm, part, options, count);
        });
    };
    const MeshPart good = part_of(Owners::blocks, 0, 1, false);
    attempt(good, {});
    CHECK_THROWS_AS((attempt(good, {}, 0), 0), ConfigError);
    MeshExchangeOptions options;
    options.algorithm = "nothing";
    CHECK_THROWS_AS((attempt(good, options), 0), ConfigError);
    options.algorithm = "burst";
    options.schedule = MeshSchedule::on_arrival;
    CHECK_THROWS_AS((attempt(good, options), 0), ConfigError);
    options.algorithm = "persistent";
    attempt(good, options);
    options.schedule = MeshSchedule::in_order;
    CHECK_THROWS_AS((attempt(good, options), 0), ConfigError);
    options = {};
    options.tag = 32;
    CHECK_THROWS_AS((attempt(good, options), 0), ConfigError);
    MeshPart wrong = good;
    wrong.owner = [](std::int64_t) { return Rank(1000); };
    CHECK_THROWS_AS((attempt(wrong, {}), 0), ConfigError);
    wrong = good;
    wrong.points_per_item = points - 1;
    CHECK_THROWS_AS((attempt(wrong, {}), 0), ConfigError);
    wrong = good;
    wrong.shares = [](std::int64_t item) {
        auto shares = shares_of(item, false);
        shares[0].receives.pop_back();
        return shares;
    };
    CHECK_THROWS_AS((attempt(wrong, {}), 0), ConfigError);
}

TEST_CASE("simulated ranks have no neighbourhood collectives of a library") {
    if (!ranks_are_virtual()) return;
    for (const char* const name : {"native", "native_nonblocking"}) {
        const std::string said = support::message_of<ConfigError>([&] {
            run_ranks(2, [&](Comm& comm) {
                return [](Comm& each, std::string_view choice) -> Task {
                    bool right = false;
                    co_await verification::try_mesh(each, MeshCombination::sum, choice, 1, right);
                }(comm, name);
            });
        });
        CHECK(said.find("native is the collective of an MPI library") != std::string::npos);
    }
}

TEST_CASE("every choice sums and copies on 1 to 33 ranks") {
    std::vector<std::string> choices = mesh_choices(!ranks_are_virtual());
    choices.emplace_back("pairwise:protocol=(1,6)");
    std::vector<Rank> counts;
    for (Rank ranks = 1; ranks <= 33; ++ranks) counts.push_back(ranks);
    for (const MeshCombination combination : {MeshCombination::sum, MeshCombination::copy}) {
        for (const std::string& choice : choices) {
            for (const Rank ranks : runnable(counts)) {
                CAPTURE(int(combination), choice, ranks);
                // Not of bool, whose entries cannot be written at the same time.
                std::vector<char> right(std::size_t(ranks), 0);
                run_ranks(ranks, [&](Comm& comm) {
                    return [](Comm& each, MeshCombination how, std::string_view by,
                              char& result) -> Task {
                        bool its_own = false;
                        co_await verification::try_mesh(each, how, by, 1, its_own);
                        result = its_own ? 1 : 0;
                    }(comm, combination, choice, right[std::size_t(comm.rank())]);
                });
                for (const Rank rank : visible(ranks)) CHECK_EQ(int(right[std::size_t(rank)]), 1);
            }
        }
    }
}

TEST_CASE("a text of options is read, or refused with the known words") {
    const auto options =
        read_mesh_options(" schedule = on_arrival, summation=arrival", MeshCombination::copy);
    CHECK(options.schedule == MeshSchedule::on_arrival);
    CHECK(options.order == MeshOrder::arrival);
    CHECK(options.combination == MeshCombination::copy);
    CHECK_EQ(read_mesh_options("algorithm=pairwise,protocol=(1,6)", {}).algorithm, "pairwise");
    const auto named = read_mesh_options("sum_on_arrival.persistent", {});
    CHECK(named.schedule == MeshSchedule::on_arrival && named.order == MeshOrder::arrival);
    CHECK_EQ(named.algorithm, "persistent");
    CHECK(read_mesh_options("pairwise:protocol=(1,6)", {}).options.protocol == Protocol(1, 6));
    CHECK_EQ(read_mesh_options("native", {}).algorithm, "native");
    CHECK(read_mesh_options("", {}).schedule == MeshSchedule::synchronous);
    for (const char* const wrong :
         {"pigeons", "order=fixed", "burst:protocol=(1,6)", "pairwise:radix=4",
          "pairwise:schedule=on_arrival", "schedule=on_arrival,algorithm=native",
          "algorithm=on_arrival", "schedule=never", "summation=3", "algorithm=pigeons",
          "protocol=(1,6)", "algorithm=burst,protocol=(1,6)", "algorithm=pairwise,protocol=(9,9)",
          "schedule=on_arrival,algorithm=burst", "schedule=in_order,algorithm=persistent",
          "in_order.persistent"}) {
        CAPTURE(wrong);
        CHECK_THROWS_AS(((void)read_mesh_options(wrong, {}), 0), ConfigError);
    }
}
