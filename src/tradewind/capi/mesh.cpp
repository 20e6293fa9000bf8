/// The exchange between parts of a mesh, for fields in memory of the caller.
#include <map>
#include <memory>
#include <set>

#include "tradewind/capi/arrays.hpp"
#include "tradewind/capi/same_call.hpp"
#include "tradewind/comm/mesh/mesh_options.hpp"

struct tradewind_mesh {
    tradewind_mesh(tradewind_comm* on, tradewind::MeshExchange prepared, bool exposes)
        : comm(on), exchange(std::move(prepared)), is_exposed(exposes) {}
    tradewind_mesh(const tradewind_mesh&) = delete;
    tradewind_mesh& operator=(const tradewind_mesh&) = delete;
    /// Leaves memory that others may put into to the communicator.
    ~tradewind_mesh() {
        if (is_exposed) comm->exposed.push_back(std::move(exchange));
    }

    tradewind_comm* comm;
    tradewind::MeshExchange exchange;
    bool is_exposed;
    bool is_sum = false;
    bool has_items = false;
    bool is_started = false;
};

namespace tradewind::capi {

namespace {

using Fields = std::vector<MeshField>;

void check_count(std::int64_t count, std::string_view name) {
    if (count < 0) throw ConfigError(text(name, " is ", count, ", must not be negative"));
}

/// Returns the last of `entries` + 1 numbers that start at 0 and do not decrease.
std::int64_t check_firsts(const std::int64_t* firsts, std::int64_t entries, std::string_view name) {
    required(firsts, name);
    if (firsts[0] != 0) throw ConfigError(text(name, "[0] is ", firsts[0], ", must be 0"));
    for (std::int64_t i = 0; i < entries; ++i) {
        if (firsts[i + 1] >= firsts[i]) continue;
        throw ConfigError(text(name, '[', i + 1, "] is ", firsts[i + 1], ", less than ", name, '[',
                               i, "], which is ", firsts[i]));
    }
    return firsts[entries];
}

template <class T>
void require_list(const T* list, std::int64_t entries, std::string_view name) {
    if (entries > 0) required(list, name);
}

/// The owners of all items that a rank knows, its own included.
class Owners {
public:
    Owners(const tradewind_mesh_part& part, std::int64_t shares, Rank rank) {
        for (std::int64_t i = 0; i < part.items; ++i) {
            if (ranks_.emplace(part.item_numbers[i], rank).second) continue;
            throw ConfigError(text("item_numbers[", i, "] = ", part.item_numbers[i],
                                   " is listed more than once"));
        }
        for (std::int64_t s = 0; s < shares; ++s) {
            const auto known = ranks_.emplace(part.share_items[s], part.share_ranks[s]).first;
            if (known->second == part.share_ranks[s]) continue;
            throw ConfigError(text("share_ranks[", s, "] = ", part.share_ranks[s], ", but item ",
                                   part.share_items[s], " belongs to rank ", known->second));
        }
    }
    [[nodiscard]] Rank of(std::int64_t item) const { return ranks_.at(item); }

private:
    std::map<std::int64_t, Rank> ranks_;
};

/// Returns the shares of an item, the i-th of the rank.
std::vector<ItemShare> shares_of(const tradewind_mesh_part& part, std::int64_t i) {
    std::vector<ItemShare> shares;
    for (std::int64_t s = part.first_shares[i]; s < part.first_shares[i + 1]; ++s) {
        shares.push_back(
            {part.share_items[s],
             part.share_numbers[s],
             {part.send_points + part.first_sends[s], part.send_points + part.first_sends[s + 1]},
             {part.receive_points + part.first_receives[s],
              part.receive_points + part.first_receives[s + 1]}});
    }
    return shares;
}

/// Checks the arrays and returns functions that read them; they are valid during the call.
MeshPart part_of(const tradewind_mesh_part& given, Rank rank) {
    check_count(given.items, "items");
    require_list(given.item_numbers, given.items, "item_numbers");
    if (given.points_per_item < 1)
        throw ConfigError(text("points_per_item is ", given.points_per_item, ", less than 1"));
    check_count(given.receiving_points_per_item, "receiving_points_per_item");
    const std::int64_t shares = check_firsts(given.first_shares, given.items, "first_shares");
    require_list(given.share_items, shares, "share_items");
    require_list(given.share_ranks, shares, "share_ranks");
    require_list(given.share_numbers, shares, "share_numbers");
    require_list(given.send_points, check_firsts(given.first_sends, shares, "first_sends"),
                 "send_points");
    require_list(given.receive_points, check_firsts(given.first_receives, shares, "first_receives"),
                 "receive_points");
    MeshPart part;
    part.items.assign(given.item_numbers, given.item_numbers + given.items);
    part.points_per_item = given.points_per_item;
    part.receiving_points_per_item = given.receiving_points_per_item;
    part.shares_are_even = false;
    const auto owners = std::make_shared<const Owners>(given, shares, rank);
    part.owner = [owners](std::int64_t item) { return owners->of(item); };
    const auto places = std::make_shared<std::map<std::int64_t, std::int64_t>>();
    for (std::int64_t i = 0; i < given.items; ++i) (*places)[given.item_numbers[i]] = i;
    part.shares = [places, given](std::int64_t item) { return shares_of(given, places->at(item)); };
    return part;
}

MeshCombination combination_of(int combination) {
    if (combination == TRADEWIND_MESH_SUM) return MeshCombination::sum;
    if (combination == TRADEWIND_MESH_COPY) return MeshCombination::copy;
    throw ConfigError(text("there is no combination ", combination,
                           "; known are TRADEWIND_MESH_SUM, TRADEWIND_MESH_COPY"));
}

std::vector<Bytes> by_rank(const std::vector<Neighbor>& list, Rank ranks) {
    std::vector<Bytes> sums(static_cast<std::size_t>(ranks));
    for (const Neighbor& one : list) sums[std::size_t(one.rank)] += one.size;
    return sums;
}

/// Returns the fields of the library.
Fields fields_of(const tradewind_mesh& mesh, const tradewind_mesh_field* given, int count,
                 std::string_view name) {
    check_count(count, "fields");
    require_list(given, count, name);
    Fields fields;
    for (int n = 0; n < count; ++n) {
        const tradewind_mesh_field& field = given[n];
        if (field.layers < 0)
            throw ConfigError(text(name, '[', n, "].layers is ", field.layers, ", negative"));
        if (mesh.has_items) required(field.values, text(name, '[', n, "].values"));
        fields.push_back({field.values, field.point_stride, field.layers, field.layer_stride});
    }
    return fields;
}

void send(tradewind_mesh& mesh, const Fields& from) {
    if (mesh.is_started) throw ConfigError("the exchange is started and not finished");
    mpi::run(mesh.comm->mpi, [&](Comm& on) { return mesh.exchange.send(on, from); });
    mesh.is_started = true;
}

/// Returns the fields that take what arrives for `from`.
Fields targets_of(const tradewind_mesh& mesh, const Fields& from,
                  const tradewind_mesh_field* into) {
    if (into == nullptr) return from;
    if (mesh.is_sum)
        throw ConfigError("a sum is added to the fields that are sent; into must be NULL");
    const Fields targets = fields_of(mesh, into, int(from.size()), "into");
    for (std::size_t n = 0; n < from.size(); ++n) {
        if (targets[n].layers == from[n].layers) continue;
        throw ConfigError(text("into[", n, "].layers is ", targets[n].layers, ", but from[", n,
                               "].layers is ", from[n].layers));
    }
    return targets;
}

void receive(tradewind_mesh& mesh, const Fields& from, const Fields& into) {
    if (!mesh.is_started) throw ConfigError("the exchange is not started");
    mpi::run(mesh.comm->mpi, [&](Comm& on) { return mesh.exchange.receive(on, from, into); });
    mesh.is_started = false;
}

/// Runs `body(mesh)` within a guard.
template <class Body>
int on_mesh(std::string_view function, tradewind_mesh* mesh, const Body& body) noexcept {
    return guard(function, [&] {
        tradewind_mesh& of = required(mesh, "mesh");
        require_mpi();
        const mpi::ReturnErrors returning;
        body(of);
    });
}

}  // namespace

// A C function is the same one in every namespace.
extern "C" {

TRADEWIND_API int tradewind_mesh_create(tradewind_comm* comm, const tradewind_mesh_part* part,
                                        int64_t layers, int combination, const char* options,
                                        tradewind_mesh** mesh) {
    return on_comm("tradewind_mesh_create", comm, [&](tradewind_comm& handle) {
        tradewind_mesh*& result = required(mesh, "the place for the exchange");
        const MeshCombination how = combination_of(combination);
        const MeshExchangeOptions choice =
            read_mesh_options(options == nullptr ? "" : options, how);
        const bool is_exposed =
            !choice.algorithm.empty() && neighbor_algorithm(choice.algorithm).exposes_memory;
        const MeshPart own = part_of(required(part, "part"), handle.mpi.rank());
        require_same_call(
            handle, text("tradewind_mesh_create with ", layers, " layers, combination ",
                         combination, " and options \"", options == nullptr ? "" : options, '"'));
        auto made = std::make_unique<tradewind_mesh>(
            comm, MeshExchange(handle.mpi, own, layers, choice, true), is_exposed);
        made->is_sum = how == MeshCombination::sum;
        made->has_items = part->items > 0;
        const Neighborhood& neighbors = made->exchange.neighbors();
        const Rank ranks = handle.mpi.size();
        compare_counts(handle, by_rank(neighbors.destinations, ranks),
                       by_rank(neighbors.sources, ranks));
        mpi::run(handle.mpi, [&](Comm& on) { return made->exchange.connect(on); });
        result = made.release();
    });
}

TRADEWIND_API int tradewind_mesh_free(tradewind_mesh** mesh) {
    return guard("tradewind_mesh_free", [&] {
        tradewind_mesh*& handle = required(mesh, "the place of the exchange");
        if (handle == nullptr) return;
        if (handle->is_started) throw ConfigError("the exchange is started and not finished");
        int ended = 0;
        MPI_Finalized(&ended);
        if (ended == 0) {
            const mpi::ReturnErrors returning;
            mpi::run(handle->comm->mpi, [&](Comm& on) { return handle->exchange.finish(on); });
        }
        delete handle;
        handle = nullptr;
    });
}

TRADEWIND_API int tradewind_mesh_start(tradewind_mesh* mesh, int fields,
                                       const tradewind_mesh_field* from) {
    return on_mesh("tradewind_mesh_start", mesh,
                   [&](tradewind_mesh& of) { send(of, fields_of(of, from, fields, "from")); });
}

TRADEWIND_API int tradewind_mesh_finish(tradewind_mesh* mesh, int fields,
                                        const tradewind_mesh_field* from,
                                        const tradewind_mesh_field* into) {
    return on_mesh("tradewind_mesh_finish", mesh, [&](tradewind_mesh& of) {
        const Fields sent = fields_of(of, from, fields, "from");
        receive(of, sent, targets_of(of, sent, into));
    });
}

TRADEWIND_API int tradewind_mesh_exchange(tradewind_mesh* mesh, int fields,
                                          const tradewind_mesh_field* from,
                                          const tradewind_mesh_field* into) {
    return on_mesh("tradewind_mesh_exchange", mesh, [&](tradewind_mesh& of) {
        const Fields sent = fields_of(of, from, fields, "from");
        const Fields targets = targets_of(of, sent, into);
        send(of, sent);
        receive(of, sent, targets);
    });
}

}  // extern "C"

}  // namespace tradewind::capi
