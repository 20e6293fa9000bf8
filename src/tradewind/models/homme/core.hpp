/// Core: the state of one rank and its time stepping, whatever the discretisation.
#pragma once

#include <memory>

#include "tradewind/models/homme/fields.hpp"
#include "tradewind/models/homme/plan.hpp"

namespace tradewind::homme {

/// The vertical grid as the kernels need it.
struct VerticalGrid {
    std::int64_t levels;
    std::int64_t blocks;
    /// The pressure at the top in Pa; 0 in shallow water.
    double top_pressure;
};

/// The elements of one rank. Without data a core sends the messages and charges the computation of
/// the same steps.
class Core {
public:
    virtual ~Core() = default;

    /// Sets the initial state and all that the steps need.
    virtual Task begin(Comm& comm) = 0;
    /// Makes step number `step`, counted from 0.
    virtual Task step(Comm& comm, std::int64_t step) = 0;
    /// Waits for the last messages of the exchanges.
    virtual Task finish(Comm& comm) = 0;

    /// Returns the area that each point of an element stands for, in m2.
    [[nodiscard]] virtual const double* mass(std::int64_t element) const = 0;
    /// Returns the geopotential of the ground at each point, in m2/s2.
    [[nodiscard]] virtual const double* surface_geopotential(std::int64_t element) const = 0;
    /// Computes the relative vorticity of an element, in blocks like a field, in 1/s.
    virtual void find_vorticity(std::int64_t element, Lanes* result) const = 0;

    [[nodiscard]] const HommePlan& plan() const noexcept { return *plan_; }
    [[nodiscard]] const VerticalGrid& column() const noexcept { return column_; }
    [[nodiscard]] const Fields& fields() const noexcept { return now_; }
    [[nodiscard]] Fields& fields() noexcept { return now_; }
    /// Returns the number of elements of the rank.
    [[nodiscard]] std::int64_t count() const noexcept { return count_; }
    /// Returns the number on the curve of an element of the rank.
    [[nodiscard]] std::int64_t element_number(std::int64_t own) const noexcept {
        return plan_->partition.item(rank_, own);
    }

protected:
    Core(const Comm& comm, const HommePlan& plan, bool has_data);

    [[nodiscard]] bool has_data() const noexcept { return has_data_; }
    /// Returns the shape of `fields` own fields with `points` per element; none without data.
    [[nodiscard]] FieldShape shape(std::int64_t points, std::size_t fields) const noexcept {
        return {has_data_ ? count_ : 0, points, column_.levels, fields};
    }
    [[nodiscard]] FieldShape shape(std::int64_t points) const noexcept {
        return shape(points, plan_->fields());
    }
    /// Returns the number of points and levels of the rank.
    [[nodiscard]] double numbers() const noexcept {
        const int np = plan_->rule.count();
        return double(count_ * np * np * column_.levels);
    }
    /// Sets the fields of an own element to those of the case.
    void set_initial_state(std::int64_t own);

    Fields now_;

private:
    void set_shallow_water(std::int64_t element, int p, const PointGeometry& point);
    void set_column(std::int64_t element, int p, const PointGeometry& point);

    const HommePlan* plan_;
    Rank rank_;
    std::int64_t count_;
    bool has_data_;
    VerticalGrid column_;
};

/// Makes the core that the plan names.
[[nodiscard]] std::unique_ptr<Core> make_core(Comm& comm, const HommePlan& plan, bool has_data);

}  // namespace tradewind::homme
