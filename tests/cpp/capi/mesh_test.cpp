/// The exchange between parts of a mesh through the C interface.
#include <functional>
#include <vector>

#include "capi_cases.hpp"
#include "tradewind/comm/mesh/mesh_options.hpp"

namespace tradewind {

namespace {

/// A share of an item, as its description in C lists it.
struct Share {
    std::int64_t item;
    int rank;
    int number;
    std::vector<int> sends;
    std::vector<int> receives;
};

/// The arrays of a `tradewind_mesh_part`.
class Part {
public:
    Part(int points, int receiving_points) {
        part_.points_per_item = points;
        part_.receiving_points_per_item = receiving_points;
    }
    void add(std::int64_t item, const std::vector<Share>& shares) {
        numbers_.push_back(item);
        for (const Share& share : shares) {
            items_.push_back(share.item);
            ranks_.push_back(share.rank);
            places_.push_back(share.number);
            sends_.insert(sends_.end(), share.sends.begin(), share.sends.end());
            receives_.insert(receives_.end(), share.receives.begin(), share.receives.end());
            first_sends_.push_back(std::int64_t(sends_.size()));
            first_receives_.push_back(std::int64_t(receives_.size()));
        }
        first_shares_.push_back(std::int64_t(items_.size()));
    }
    [[nodiscard]] tradewind_mesh_part view() const {
        tradewind_mesh_part view = part_;
        view.items = std::int64_t(numbers_.size());
        view.item_numbers = numbers_.data();
        view.first_shares = first_shares_.data();
        view.share_items = items_.data();
        view.share_ranks = ranks_.data();
        view.share_numbers = places_.data();
        view.first_sends = first_sends_.data();
        view.send_points = sends_.data();
        view.first_receives = first_receives_.data();
        view.receive_points = receives_.data();
        return view;
    }

private:
    tradewind_mesh_part part_{};
    std::vector<std::int64_t> numbers_, items_;
    std::vector<std::int64_t> first_shares_{0}, first_sends_{0}, first_receives_{0};
    std::vector<int> ranks_, places_, sends_, receives_;
};

/// A ring of elements of three points, distributed cyclically over the ranks. Element e shares its
/// last point with the first one of element e + 1. Of two ranks, rank 1 has none.
class Ring {
public:
    Ring(const capi::Handle& comm, bool is_copy)
        : size_(comm.size()), count_(2 * comm.size() + 1), part_(3, is_copy ? 2 : 0) {
        for (int e = 0; e < count_; ++e) {
            if (owner(e) != comm.rank()) continue;
            elements.push_back(e);
            const int right = (e + 1) % count_;
            const int left = (e + count_ - 1) % count_;
            // Numbers with gaps, since the numbers of items are the application's own.
            part_.add(10 * e + 5, {{10 * right + 5, owner(right), 1, {2}, {is_copy ? 1 : 2}},
                                   {10 * left + 5, owner(left), 0, {0}, {0}}});
        }
    }
    [[nodiscard]] tradewind_mesh_part part() const { return part_.view(); }
    [[nodiscard]] int right(int element) const { return (element + 1) % count_; }
    [[nodiscard]] int left(int element) const { return (element + count_ - 1) % count_; }
    [[nodiscard]] std::int64_t points() const { return 3 * std::int64_t(elements.size()); }

    std::vector<int> elements;

private:
    [[nodiscard]] int owner(int element) const { return size_ == 2 ? 0 : element % size_; }

    int size_;
    int count_;
    Part part_;
};

double value(int element, int point, int layer) {
    return 100 * element + 10 * point + layer;
}

/// Two fields of a ring: two layers beside each other, and one layer alone.
struct Fields {
    explicit Fields(std::int64_t points) : two(std::size_t(2 * points)), one(std::size_t(points)) {
        views[0] = {two.data(), 2, 2, 1};
        views[1] = {one.data(), 1, 1, points};
    }
    double& at(std::int64_t point, int layer) {
        return layer < 2 ? two[std::size_t(2 * point + layer)] : one[std::size_t(point)];
    }
    void fill(const Ring& ring) {
        for (std::int64_t p = 0; p < ring.points(); ++p)
            for (int k = 0; k < 3; ++k)
                at(p, k) = value(ring.elements[std::size_t(p / 3)], int(p % 3), k);
    }

    std::vector<double> two;
    std::vector<double> one;
    tradewind_mesh_field views[2];
};

int exchange(tradewind_mesh* mesh, Fields& from, Fields* into, bool in_two_steps) {
    const tradewind_mesh_field* targets = into == nullptr ? nullptr : into->views;
    if (!in_two_steps) return tradewind_mesh_exchange(mesh, 2, from.views, targets);
    CHECK_EQ(tradewind_mesh_start(mesh, 2, from.views), TRADEWIND_OK);
    return tradewind_mesh_finish(mesh, 2, from.views, targets);
}

/// Returns the number of wrong values after sums, or after copies into two points per element.
int wrong_values(const Ring& ring, Fields& fields, bool is_copy) {
    int wrong = 0;
    for (std::size_t i = 0; i < ring.elements.size(); ++i) {
        const int e = ring.elements[i];
        for (int k = 0; k < 3; ++k) {
            const double from_left = value(ring.left(e), 2, k);
            const double from_right = value(ring.right(e), 0, k);
            const std::int64_t first = std::int64_t(i) * (is_copy ? 2 : 3);
            if (is_copy) {
                wrong += fields.at(first, k) == from_left ? 0 : 1;
                wrong += fields.at(first + 1, k) == from_right ? 0 : 1;
            } else {
                wrong += fields.at(first, k) == value(e, 0, k) + from_left ? 0 : 1;
                wrong += fields.at(first + 1, k) == value(e, 1, k) ? 0 : 1;
                wrong += fields.at(first + 2, k) == value(e, 2, k) + from_right ? 0 : 1;
            }
        }
    }
    return wrong;
}

/// Makes an exchange of a ring's sums, with a description that `change` may have altered.
int create(const capi::Handle& comm, const std::function<void(tradewind_mesh_part&)>& change,
           const char* options, tradewind_mesh** mesh) {
    const Ring ring(comm, false);
    tradewind_mesh_part part = ring.part();
    change(part);
    return tradewind_mesh_create(comm, &part, 3, TRADEWIND_MESH_SUM, options, mesh);
}

/// True if a wrong description of rank 0 alone is refused there; the others do not communicate.
bool refused(const capi::Handle& comm, const std::function<void(tradewind_mesh_part&)>& change,
             std::string_view words) {
    if (comm.rank() != 0) return true;
    tradewind_mesh* mesh = nullptr;
    return create(comm, change, "", &mesh) == TRADEWIND_WRONG_INPUT && mesh == nullptr &&
           capi::error_says(words) && capi::error_says("tradewind_mesh_create: ");
}

}  // namespace

TEST_CASE("a mesh sums and copies by every choice, at once and in two steps") {
    const capi::Handle comm;
    std::vector<std::string> choices = mesh_choices(true);
    choices.emplace_back("algorithm=pairwise,protocol=(1,6)");
    choices.emplace_back("schedule=on_arrival,summation=arrival");
    for (const std::string& choice : choices) {
        for (const bool is_copy : {false, true}) {
            CAPTURE(choice, is_copy);
            const Ring ring(comm, is_copy);
            const tradewind_mesh_part part = ring.part();
            tradewind_mesh* mesh = nullptr;
            CHECK_EQ(tradewind_mesh_create(comm, &part, 3,
                                           is_copy ? TRADEWIND_MESH_COPY : TRADEWIND_MESH_SUM,
                                           choice.c_str(), &mesh),
                     TRADEWIND_OK);
            for (const bool in_two_steps : {false, true, false}) {
                Fields own(ring.points());
                Fields copies(ring.points() / 3 * 2);
                own.fill(ring);
                CHECK_EQ(exchange(mesh, own, is_copy ? &copies : nullptr, in_two_steps),
                         TRADEWIND_OK);
                CHECK_EQ(wrong_values(ring, is_copy ? copies : own, is_copy), 0);
            }
            CHECK_EQ(tradewind_mesh_free(&mesh), TRADEWIND_OK);
            CHECK(mesh == nullptr);
        }
    }
}

TEST_CASE("a halo of cells has a share for each neighbouring rank, with unequal numbers of cells") {
    const capi::Handle comm;
    // A ring of cells. A rank owns three, and holds one of the left and two of the right rank.
    const int right = (comm.rank() + 1) % comm.size();
    const int left = (comm.rank() + comm.size() - 1) % comm.size();
    Part part(6, 0);
    part.add(comm.rank(), {{right, right, 1, {3}, {4, 5}}, {left, left, 0, {1, 2}, {0}}});
    const tradewind_mesh_part view = part.view();
    tradewind_mesh* mesh = nullptr;
    CHECK_EQ(tradewind_mesh_create(comm, &view, 1, TRADEWIND_MESH_COPY, nullptr, &mesh),
             TRADEWIND_OK);
    const double first = 3 * comm.rank();
    std::vector<double> cells{-1, first, first + 1, first + 2, -1, -1};
    const tradewind_mesh_field field{cells.data(), 1, 1, 6};
    CHECK_EQ(tradewind_mesh_exchange(mesh, 1, &field, nullptr), TRADEWIND_OK);
    CHECK(cells == std::vector<double>{3.0 * left + 2, first, first + 1, first + 2, 3.0 * right,
                                       3.0 * right + 1});
    CHECK_EQ(tradewind_mesh_free(&mesh), TRADEWIND_OK);
}

TEST_CASE("a wrong description of a part is refused with the array and what was given") {
    const capi::Handle comm;
    const std::vector<std::int64_t> firsts{1, 2, 2, 2};
    const std::vector<std::int64_t> falling{0, 2, 1, 9};
    const std::vector<std::int64_t> same(9, 5);
    const std::vector<int> strangers(18, 99);
    using Change = tradewind_mesh_part;
    CHECK(refused(comm, [](Change& part) { part.items = -1; }, "items is -1"));
    CHECK(refused(comm, [](Change& part) { part.item_numbers = nullptr; }, "item_numbers is NULL"));
    CHECK(refused(comm, [](Change& part) { part.points_per_item = 0; }, "points_per_item is 0"));
    CHECK(refused(
        comm, [&](Change& part) { part.first_shares = firsts.data(); },
        "first_shares[0] is 1, must be 0"));
    CHECK(refused(
        comm, [&](Change& part) { part.first_sends = falling.data(); },
        "first_sends[2] is 1, less than first_sends[1], which is 2"));
    CHECK(refused(
        comm, [&](Change& part) { part.item_numbers = same.data(); },
        "item_numbers[1] = 5 is listed more than once"));
    CHECK(refused(
        comm, [&](Change& part) { part.send_points = strangers.data(); },
        "item 5, share 0 sends point 99, which is not in 0..2"));
    CHECK(refused(comm, [&](Change& part) { part.share_ranks = strangers.data(); }, "= 99"));
}

TEST_CASE("wrong options, and messages whose sizes differ, are refused on all ranks") {
    const capi::Handle comm;
    tradewind_mesh* mesh = nullptr;
    const auto same = [](tradewind_mesh_part&) {};
    CHECK_EQ(create(comm, same, "schedule=never", &mesh), TRADEWIND_WRONG_INPUT);
    CHECK(capi::error_says("schedule"));
    CHECK(capi::error_says("on_arrival"));
    CHECK_EQ(create(comm, same, "algorithm=pigeons", &mesh), TRADEWIND_WRONG_INPUT);
    CHECK(capi::error_says("pairwise"));
    const Ring ring(comm, false);
    const tradewind_mesh_part part = ring.part();
    CHECK_EQ(tradewind_mesh_create(comm, &part, 3, 7, "", &mesh), TRADEWIND_WRONG_INPUT);
    CHECK(capi::error_says("there is no combination 7"));
    CHECK_EQ(tradewind_mesh_create(comm, nullptr, 3, TRADEWIND_MESH_SUM, "", &mesh),
             TRADEWIND_WRONG_INPUT);
    CHECK(capi::error_says("part is NULL"));
    if (comm.size() < 2) return;

    for (const char* const options : {"", "algorithm=puts"}) {
        Part wrong(3, 0);
        const int other = (comm.rank() + 1) % comm.size();
        const int before = (comm.rank() + comm.size() - 1) % comm.size();
        // Rank 0 sends a point more than rank 1 expects.
        const std::vector<int> sends = comm.rank() == 0 ? std::vector{1, 2} : std::vector{2};
        wrong.add(comm.rank(), {{other, other, 1, sends, {}}, {before, before, 0, {}, {0}}});
        const tradewind_mesh_part view = wrong.view();
        CHECK_EQ(tradewind_mesh_create(comm, &view, 1, TRADEWIND_MESH_SUM, options, &mesh),
                 TRADEWIND_WRONG_INPUT);
        CHECK(capi::error_says(comm.rank() == 1 ? "rank 1 expects 8 bytes from rank 0, which "
                                                  "sends 16"
                                                : "the counts of 1 other ranks do not match"));
    }
    CHECK(mesh == nullptr);
}

TEST_CASE("starts and finishes out of turn, and fields that do not fit, are refused") {
    const capi::Handle comm;
    const Ring ring(comm, false);
    tradewind_mesh* mesh = nullptr;
    const auto same = [](tradewind_mesh_part&) {};
    CHECK_EQ(create(comm, same, "schedule=on_arrival", &mesh), TRADEWIND_OK);
    Fields own(ring.points());
    own.fill(ring);
    CHECK_EQ(tradewind_mesh_finish(mesh, 2, own.views, nullptr), TRADEWIND_WRONG_INPUT);
    CHECK(capi::error_says("tradewind_mesh_finish: the exchange is not started"));
    CHECK_EQ(tradewind_mesh_start(mesh, 1, own.views), TRADEWIND_WRONG_INPUT);
    CHECK(capi::error_says("prepared for 3 layers of all fields, not for 2"));
    CHECK_EQ(tradewind_mesh_exchange(mesh, 2, own.views, own.views), TRADEWIND_WRONG_INPUT);
    CHECK(capi::error_says("into must be NULL"));
    if (!ring.elements.empty()) {
        tradewind_mesh_field none[2] = {own.views[0], {nullptr, 1, 1, 1}};
        CHECK_EQ(tradewind_mesh_start(mesh, 2, none), TRADEWIND_WRONG_INPUT);
        CHECK(capi::error_says("from[1].values is NULL"));
    }
    CHECK_EQ(tradewind_mesh_start(mesh, 2, own.views), TRADEWIND_OK);
    CHECK_EQ(tradewind_mesh_start(mesh, 2, own.views), TRADEWIND_WRONG_INPUT);
    CHECK(capi::error_says("the exchange is started and not finished"));
    CHECK_EQ(tradewind_mesh_free(&mesh), TRADEWIND_WRONG_INPUT);
    CHECK(mesh != nullptr);
    CHECK_EQ(tradewind_mesh_finish(mesh, 2, own.views, nullptr), TRADEWIND_OK);
    CHECK_EQ(wrong_values(ring, own, false), 0);
    CHECK_EQ(tradewind_mesh_free(&mesh), TRADEWIND_OK);
    CHECK_EQ(tradewind_mesh_free(&mesh), TRADEWIND_OK);
    CHECK_EQ(tradewind_mesh_start(nullptr, 0, nullptr), TRADEWIND_WRONG_INPUT);
}

}  // namespace tradewind
