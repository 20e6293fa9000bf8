/// The halo and neighbour exchanges of the C interface.
#include <numeric>
#include <vector>

#include "capi_cases.hpp"

namespace tradewind {

namespace {

std::int64_t wrapped(std::int64_t i, std::int64_t n) {
    return ((i % n) + n) % n;
}

/// Calls visit(position in the array, number of the point in the grid and field, true if the point
/// is owned).
template <class Visit>
void for_each_value(const tradewind_grid& grid, const tradewind_box& owned,
                    const tradewind_box& held, Visit visit) {
    const auto inside = [&](int axis, std::int64_t i) {
        return i >= owned.first[axis] && i < owned.first[axis] + owned.points[axis];
    };
    std::size_t position = 0;
    for (std::int64_t fz = 0; fz < grid.fields * grid.nz; ++fz) {
        for (std::int64_t j = held.first[1]; j < held.first[1] + held.points[1]; ++j) {
            for (std::int64_t i = held.first[0]; i < held.first[0] + held.points[0]; ++i) {
                const std::int64_t row = fz * grid.ny + wrapped(j, grid.ny);
                visit(position++, std::int32_t(row * grid.nx + wrapped(i, grid.nx)),
                      inside(0, i) && inside(1, j));
            }
        }
    }
}

}  // namespace

TEST_CASE("the halo of a caller's array is that of the periodic grid, also beyond the neighbours") {
    const capi::Handle comm;
    for (const std::int64_t width : {1, 3, 7}) {
        CAPTURE(width);
        const tradewind_grid grid{9, 8, 2, 0, 0, width, 2, TRADEWIND_INT32};
        tradewind_halo* halo = nullptr;
        CHECK_EQ(tradewind_halo_create(comm, &grid, &halo), TRADEWIND_OK);
        tradewind_box owned{};
        tradewind_box held{};
        CHECK_EQ(tradewind_halo_boxes(halo, &owned, &held), TRADEWIND_OK);
        const std::int64_t points = held.points[0] * held.points[1] * held.points[2];
        std::vector<std::int32_t> values(std::size_t(points * grid.fields), -1);
        for_each_value(grid, owned, held, [&](std::size_t at, std::int32_t number, bool mine) {
            if (mine) values[at] = number;
        });
        CHECK_EQ(tradewind_halo_exchange(halo, values.data()), TRADEWIND_OK);
        std::int64_t wrong = 0;
        for_each_value(grid, owned, held, [&](std::size_t at, std::int32_t number, bool) {
            wrong += values[at] == number ? 0 : 1;
        });
        CHECK_EQ(wrong, 0);
        CHECK_EQ(tradewind_halo_free(&halo), TRADEWIND_OK);
        CHECK(halo == nullptr);
    }
}

TEST_CASE("a grid that cannot be cut, and a halo that is too wide, are refused") {
    const capi::Handle comm;
    tradewind_halo* halo = nullptr;
    tradewind_grid grid{9, 8, 2, 3, comm.size(), 1, 1, TRADEWIND_DOUBLE};
    CHECK_EQ(tradewind_halo_create(comm, &grid, &halo), TRADEWIND_WRONG_INPUT);
    CHECK(capi::error_says("process grid 3 x " + std::to_string(comm.size())));
    grid.columns = grid.rows = 0;
    grid.width = 9;
    CHECK_EQ(tradewind_halo_create(comm, &grid, &halo), TRADEWIND_WRONG_INPUT);
    CHECK(capi::error_says("width"));
    grid.width = 1;
    grid.nz = 0;
    CHECK_EQ(tradewind_halo_create(comm, &grid, &halo), TRADEWIND_WRONG_INPUT);
    CHECK(capi::error_says("nz = 0"));
    CHECK(halo == nullptr);
}

TEST_CASE("neighbours get what is sent to them, in the order of their lists") {
    const capi::Handle comm;
    const int left = (comm.rank() + comm.size() - 1) % comm.size();
    const int right = (comm.rank() + 1) % comm.size();
    // Each rank sends two elements to the right, one to the left and three to itself.
    const std::vector<int> ranks{right, left, comm.rank()};
    const std::vector<std::int64_t> sent{2, 1, 3};
    std::vector<std::int64_t> received{1, 2, 3};
    // With one or two ranks both neighbours are the same rank, whose lists are matched entry by
    // entry.
    if (comm.size() <= 2) received = sent;
    const std::int64_t base = 100 * comm.rank();
    const std::vector<std::int64_t> out{base, base + 1, base + 2, base + 3, base + 4, base + 5};
    std::vector<std::int64_t> in(6, -1);
    for (const int compare : {0, 1}) {
        CAPTURE(compare);
        tradewind_comm_check_counts(comm, compare);
        CHECK_EQ(tradewind_neighbor_exchange(comm, 3, ranks.data(), out.data(), sent.data(),
                                             in.data(), received.data(), TRADEWIND_INT64),
                 TRADEWIND_OK);
        const std::int64_t r = 100 * right;
        const std::int64_t l = 100 * left;
        const std::vector<std::int64_t> many{r + 2, l, l + 1, base + 3, base + 4, base + 5};
        const std::vector<std::int64_t> few{r, r + 1, r + 2, base + 3, base + 4, base + 5};
        CHECK(in == (comm.size() > 2 ? many : few));
    }
}

TEST_CASE("an exchange without neighbours needs no arrays") {
    const capi::Handle comm;
    CHECK_EQ(tradewind_neighbor_exchange(comm, 0, nullptr, nullptr, nullptr, nullptr, nullptr,
                                         TRADEWIND_DOUBLE),
             TRADEWIND_OK);
}

}  // namespace tradewind
