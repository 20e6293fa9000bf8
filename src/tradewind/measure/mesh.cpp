/// Mesh: the exchange between parts of a mesh, by every algorithm and, on MPI, by the neighbourhood
/// collectives of the library.
///
///     processes = [2,1], elements = 2        each element has 4 x 4 points, and shares those of
///         rank 0     rank 1                  its edges, or of edges and corners, with neighbours
///         . .        . .
///         . .        . .                     periodic in both directions
///
/// A size is what one point holds in all fields and layers. Packing and unpacking are part of the
/// time; the set-up of lists, windows and communicators is not.
#include <algorithm>

#include "tradewind/comm/mesh/mesh_algorithms.hpp"
#include "tradewind/comm/mesh/mesh_options.hpp"
#include "tradewind/measure/measurement.hpp"
#include "tradewind/measure/timing.hpp"

namespace tradewind::measure {

namespace {

/// The points along an edge of an element.
constexpr int np = 4;
constexpr std::string_view all = "all";
constexpr Bytes number = sizeof(double);

/// A neighbour's displacement, and the share of the neighbour that is the same one.
struct ElementSide {
    std::int64_t di;
    std::int64_t dj;
    std::int32_t opposite;
};
constexpr ElementSide sides[] = {{0, -1, 2},  {1, 0, 3},  {0, 1, 0}, {-1, 0, 1},
                                 {-1, -1, 6}, {1, -1, 7}, {1, 1, 4}, {-1, 1, 5}};
constexpr std::size_t edge_sides = 4;

struct MeshPlan {
    std::array<Rank, 2> processes{1, 1};
    std::int64_t elements = 1;
    bool corners = true;
    MeshCombination combination = MeshCombination::sum;
    std::string algorithm;
    std::vector<Bytes> sizes;
    Repetitions repetitions;
    bool payload = true;

    [[nodiscard]] std::int64_t columns() const { return processes[0] * elements; }
    [[nodiscard]] std::int64_t rows() const { return processes[1] * elements; }
};

/// Returns the points on a side of an element, from left to right and from the front to the back.
[[nodiscard]] std::vector<std::int32_t> points_on(const ElementSide& side) {
    const auto lies = [](std::int64_t displacement, int at) {
        return displacement == 0 || at == (displacement > 0 ? np - 1 : 0);
    };
    std::vector<std::int32_t> points;
    for (int j = 0; j < np; ++j)
        for (int i = 0; i < np; ++i)
            if (lies(side.di, i) && lies(side.dj, j)) points.push_back(std::int32_t(j * np + i));
    return points;
}

/// Returns the shares of an element. Copies arrive at places of their own: side * np + k.
[[nodiscard]] std::vector<ItemShare> shares_of(const MeshPlan& plan, std::int64_t item) {
    std::vector<ItemShare> shares;
    for (std::size_t n = 0; n < (plan.corners ? std::size(sides) : edge_sides); ++n) {
        const std::int64_t columns = plan.columns();
        const std::int64_t i = (item % columns + sides[n].di + columns) % columns;
        const std::int64_t j = (item / columns + sides[n].dj + plan.rows()) % plan.rows();
        ItemShare share{j * columns + i, sides[n].opposite, points_on(sides[n]), {}};
        share.receives = share.sends;
        if (plan.combination == MeshCombination::copy) {
            for (std::size_t k = 0; k < share.sends.size(); ++k)
                share.receives[k] = std::int32_t(n * np + k);
        }
        shares.push_back(std::move(share));
    }
    return shares;
}

[[nodiscard]] MeshPart part_of(const MeshPlan& plan, Rank rank) {
    MeshPart part;
    const Rank column = rank % plan.processes[0];
    const Rank row = rank / plan.processes[0];
    for (std::int64_t j = 0; j < plan.elements; ++j)
        for (std::int64_t i = 0; i < plan.elements; ++i)
            part.items.push_back((row * plan.elements + j) * plan.columns() +
                                 column * plan.elements + i);
    part.points_per_item = np * np;
    if (plan.combination == MeshCombination::copy)
        part.receiving_points_per_item = std::int32_t(std::size(sides)) * np;
    part.owner = [&plan](std::int64_t item) {
        const std::int64_t i = item % plan.columns() / plan.elements;
        return item / plan.columns() / plan.elements * plan.processes[0] + i;
    };
    part.shares = [&plan](std::int64_t item) { return shares_of(plan, item); };
    return part;
}

/// The fields of one rank: one field whose layers are adjacent.
class MeasuredFields {
public:
    MeasuredFields(const MeshPlan& plan, const MeshPart& part, std::int64_t layers)
        : own_(memory(plan, part, part.points_per_item, layers)),
          copies_(memory(plan, part, part.receiving_points(), layers)),
          from_{plan.payload ? own_.data() : nullptr, layers, layers, 1},
          into_(from_) {
        if (plan.combination == MeshCombination::sum) return;
        into_.values = plan.payload ? copies_.data() : nullptr;
    }
    [[nodiscard]] std::span<const MeshField> from() const { return {&from_, 1}; }
    [[nodiscard]] std::span<const MeshField> into() const { return {&into_, 1}; }

private:
    [[nodiscard]] static std::vector<double> memory(const MeshPlan& plan, const MeshPart& part,
                                                    std::int64_t points, std::int64_t layers) {
        const auto items = std::int64_t(part.items.size());
        return std::vector<double>(plan.payload ? std::size_t(items * points * layers) : 0);
    }

    std::vector<double> own_;
    std::vector<double> copies_;
    MeshField from_;
    MeshField into_;
};

Task exchange_once(Comm& comm, MeshExchange& exchange, const MeasuredFields& fields) {
    co_await exchange.send(comm, fields.from());
    co_await exchange.receive(comm, fields.from(), fields.into());
}

Task measure_algorithm(Comm& comm, const MeshPlan& plan, const std::string& name, Bytes bytes,
                       Row& row) {
    const MeshPart part = part_of(plan, comm.rank());
    const MeasuredFields fields(plan, part, bytes / number);
    MeshExchange exchange(comm, part, bytes / number, read_mesh_options(name, plan.combination),
                          plan.payload);
    co_await exchange.connect(comm);
    const Program body = [&](Comm& on) { return exchange_once(on, exchange, fields); };
    co_await time_collectively(comm, body, plan.repetitions, true, row.seconds);
    co_await exchange.finish(comm);
    Bytes largest = 0;
    for (const Neighbor& to : exchange.neighbors().destinations)
        largest = std::max(largest, to.size);
    row.values = {{"largest_message_bytes", double(largest)},
                  {"neighbors", double(exchange.neighbors().destinations.size())}};
}

Task run(Comm& comm, const MeshPlan& plan, Rows* rows) {
    for (const Bytes bytes : plan.sizes) {
        for (const std::string& name : mesh_choices(comm.library() != nullptr)) {
            if (plan.algorithm != all && plan.algorithm != name) continue;
            Row row{name, bytes, {}};
            co_await measure_algorithm(comm, plan, name, bytes, row);
            if (rows != nullptr) rows->push_back(row);
        }
    }
}

constexpr auto processes = declare::whole_list(
    "processes", "columns and rows of the ranks; default: the squarest grid", 2);
constexpr auto elements =
    declare::whole("elements", "elements along each side of a rank's square", 8).within(1, 1024);
constexpr auto connectivity = declare::one_of<bool>(
    "connectivity", "points that elements share", {{"edges_and_corners", true}, {"edges", false}});
constexpr auto combination = declare::one_of<MeshCombination>(
    "combination", "what becomes of them: sums, or copies beside the own points",
    {{"sum", MeshCombination::sum}, {"copy", MeshCombination::copy}});
constexpr auto algorithm =
    declare::word("algorithm", "algorithm of mesh, native collective, or \"all\"", all);
constexpr auto sizes =
    declare::whole_list("sizes",
                        "bytes of a point, all fields and layers, multiples of 8; default: 1, 26 "
                        "and 104 numbers",
                        1, 1000)
        .within(double(number), 0x1p30);
constexpr const Declaration* settings_of_mesh[] = {
    &processes, &elements,           &connectivity,   &combination,   &algorithm,
    &sizes,     &given::repetitions, &given::warm_up, &given::payload};

[[nodiscard]] std::array<Rank, 2> read_processes(const Settings& settings, Rank ranks) {
    Rank rows = 1;
    for (Rank divisor = 1; divisor * divisor <= ranks; ++divisor)
        if (ranks % divisor == 0) rows = divisor;
    const auto grid = processes.of(settings, {ranks / rows, rows});
    if (grid[0] * grid[1] != ranks) {
        throw ConfigError(text("mesh: processes must be columns and rows of the ", ranks,
                               " ranks, such as [", ranks / rows, ",", rows, "]"));
    }
    return {grid[0], grid[1]};
}

Program make_mesh(const Settings& settings, Rank ranks, const Platform& /*platform*/, Rows& rows) {
    const MeshPlan plan{
        read_processes(settings, ranks), elements.of(settings),
        connectivity.of(settings),       combination.of(settings),
        algorithm.of(settings),          sizes.of(settings, {number, 26 * number, 104 * number}),
        read_repetitions(settings),      given::payload.of(settings)};
    if (plan.algorithm != all) (void)mesh_algorithm(plan.algorithm);
    for (const Bytes bytes : plan.sizes) {
        if (bytes % number != 0)
            throw ConfigError(text("mesh: sizes: ", bytes, " is not a multiple of ", number));
    }
    return
        [plan, &rows](Comm& comm) { return run(comm, plan, comm.rank() == 0 ? &rows : nullptr); };
}

}  // namespace

extern const MeasurementEntry mesh_entry;
constinit const MeasurementEntry mesh_entry = {
    .name = "mesh",
    .summary = "exchange between parts of a mesh, by every schedule and carrier",
    .settings = settings_of_mesh,
    .prepare = make_mesh,
};

}  // namespace tradewind::measure
