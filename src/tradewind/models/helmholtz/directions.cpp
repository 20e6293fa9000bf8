/// Scalar products, sums of vectors and the note of each iteration.
#include "tradewind/models/helmholtz/directions.hpp"

#include <cmath>

#include "tradewind/base/interrupts.hpp"

namespace tradewind::helmholtz {

double dot(const Vector& a, const Vector& b) {
    check_interrupts(std::int64_t(a.size()));
    double sum = 0.0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
    return sum;
}

void add(double factor, const Vector& x, Vector& y) {
    check_interrupts(std::int64_t(x.size()));
    for (std::size_t i = 0; i < x.size(); ++i) y[i] += factor * x[i];
}

Work vector_work(const Operators& operators, std::int64_t updates) {
    const auto numbers = operators.points() * updates;
    return {2.0 * double(numbers), numbers * 2 * Bytes(sizeof(double))};
}

Directions::Directions(const Operators& operators, std::int64_t families)
    : vectors_(std::size_t(families)), eta_(std::size_t(operators.plan().restart)) {
    for (auto& family : vectors_) {
        for (std::size_t slot = 0; slot < eta_.size(); ++slot) {
            family.push_back(operators.zeros());
            check_interrupts(std::int64_t(family.back().size()));
        }
    }
}

void Directions::make(std::span<const Vector* const> start, std::span<const double> beta) {
    const std::int64_t known = count();
    const std::int64_t slot = slot_of(made_);
    for (std::size_t family = 0; family < vectors_.size(); ++family) {
        auto& old = vectors_[family];
        Vector& target = old[std::size_t(slot)];
        for (std::size_t i = 0; i < target.size(); ++i) {
            check_interrupts(known);
            double sum = (*start[family])[i];
            for (std::int64_t j = 0; j < known; ++j)
                sum += beta[std::size_t(j)] * old[std::size_t(j)][i];
            target[i] = sum;
        }
    }
    ++made_;
}

Iteration::Iteration(const HelmholtzPlan& plan, Rank rank, Solution* fill, std::int64_t families)
    : operators(plan, rank, fill != nullptr),
      known(operators, families),
      solution(fill),
      r(operators.zeros()),
      x(operators.zeros()) {}

Buffer Iteration::sums() {
    const std::span values(products);
    if (solution == nullptr) return Buffer(Bytes(values.size_bytes()));
    ++solution->reductions;
    return Buffer(values);
}

void Iteration::note(double before, double after) {
    if (done == 0) squared_rhs = before;
    is_over = ++done == operators.plan().iterations;
    if (solution == nullptr) return;
    const double residual = std::sqrt(std::max(after, 0.0) / squared_rhs);
    solution->residuals.push_back(residual);
    solution->iterations = done;
    solution->has_converged = residual < operators.plan().tolerance;
    is_over = is_over || solution->has_converged;
}

}  // namespace tradewind::helmholtz
