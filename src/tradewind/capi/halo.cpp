/// The halo exchange of a field in memory of the caller.
#include "tradewind/skeleton/halo.hpp"

#include <memory>

#include "tradewind/capi/arrays.hpp"
#include "tradewind/capi/same_call.hpp"

struct tradewind_halo {
    tradewind_comm* comm;
    tradewind::skeleton::Halo plan;
    tradewind::skeleton::MessageMemory memory;
    /// The grid in words, until it has been compared with that of the other ranks.
    std::string not_compared;
};

namespace tradewind::capi {

namespace {

using skeleton::Extents;
using skeleton::Halo;

Halo plan_of(const tradewind_grid& grid, Rank ranks) {
    Halo plan;
    plan.grid = {grid.nx, grid.ny, grid.nz};
    const char* const names[] = {"nx", "ny", "nz"};
    for (std::size_t i = 0; i < 3; ++i) {
        if (plan.grid[i] < 1)
            throw ConfigError(text(names[i], " = ", plan.grid[i], ", must be at least 1"));
    }
    if (grid.fields < 1) throw ConfigError(text("fields = ", grid.fields, ", must be at least 1"));
    // An array with its halo has at most nine times these bytes, which must fit 64 bits.
    const double bytes = double(grid.nx) * double(grid.ny) * double(grid.nz) * double(grid.fields) *
                         double(size_of(grid.type));
    if (bytes > 1e17) throw ConfigError(text("a field of ", bytes, " bytes is too large"));
    skeleton::check_halo_width(grid.width, plan.grid);
    std::optional<ProcessGrid> wanted;
    if (grid.columns != 0 || grid.rows != 0) wanted = ProcessGrid{grid.columns, grid.rows};
    plan.processes = process_grid(ranks, skeleton::halo_limits(plan.grid), wanted);
    plan.elements = {size_of(grid.type), grid.fields};
    plan.width = grid.width;
    return plan;
}

std::string words_of(const tradewind_grid& grid, const Halo& plan) {
    return text("tradewind_halo_exchange of the grid [", grid.nx, ", ", grid.ny, ", ", grid.nz,
                "] in ", plan.processes.cx, " x ", plan.processes.cy, " parts, with width ",
                grid.width, ", ", grid.fields, " fields and ", name_of_type(grid.type));
}

/// Compares the plan with those of the other ranks at its first exchange.
void compare_once(tradewind_halo& halo) {
    if (halo.not_compared.empty()) return;
    require_same_call(*halo.comm, halo.not_compared);
    halo.not_compared.clear();
}

void copy_box(const skeleton::Box& from, tradewind_box* to) {
    if (to == nullptr) return;
    for (std::size_t i = 0; i < 3; ++i) {
        to->first[i] = from.start[i];
        to->points[i] = from.size[i];
    }
}

}  // namespace

// A C function is the same one in every namespace.
extern "C" {

TRADEWIND_API int tradewind_halo_create(tradewind_comm* comm, const tradewind_grid* grid,
                                        tradewind_halo** halo) {
    return guard("tradewind_halo_create", [&] {
        tradewind_halo*& result = required(halo, "the place for the plan");
        const Rank ranks = required(comm, "comm").mpi.size();
        const Halo plan = plan_of(required(grid, "grid"), ranks);
        result = new tradewind_halo{comm, plan, {}, words_of(*grid, plan)};
    });
}

TRADEWIND_API int tradewind_halo_free(tradewind_halo** halo) {
    return guard("tradewind_halo_free", [&] {
        tradewind_halo*& plan = required(halo, "the place of the plan");
        const std::unique_ptr<tradewind_halo> freed(plan);
        plan = nullptr;
    });
}

TRADEWIND_API int tradewind_halo_boxes(const tradewind_halo* halo, tradewind_box* owned,
                                       tradewind_box* held) {
    return guard("tradewind_halo_boxes", [&] {
        const tradewind_halo& of = required(halo, "halo");
        const Rank rank = of.comm->mpi.rank();
        copy_box(skeleton::owned_box(of.plan, rank), owned);
        copy_box(skeleton::halo_box(of.plan, rank), held);
    });
}

TRADEWIND_API int tradewind_halo_exchange(tradewind_halo* halo, void* values) {
    return guard("tradewind_halo_exchange", [&] {
        tradewind_halo& of = required(halo, "halo");
        require_mpi();
        const mpi::ReturnErrors returning;
        mpi::MpiComm& comm = of.comm->mpi;
        const Bytes size =
            skeleton::halo_box(of.plan, comm.rank()).points() * of.plan.elements.per_point();
        const Buffer field = buffer_of(values, size, "values");
        compare_once(of);
        mpi::run(comm, [&](Comm& on) {
            return skeleton::exchange_halo(on, of.plan, std::span(field.data(), std::size_t(size)),
                                           of.memory);
        });
    });
}

}  // extern "C"

}  // namespace tradewind::capi
