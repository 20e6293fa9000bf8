/// Scalar products, sums of vectors and the note of each iteration.
#include "tradewind/models/helmholtz/directions.hpp"

#include <cmath>

namespace tradewind::helmholtz {

double dot(const Vector& a, const Vector& b) {
    double sum = 0.0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
    return sum;
}

void add(double factor, const Vector& x, Vector& y) {
    for (std::size_t i = 0; i < x.size(); ++i) y[i] += factor * x[i];
}

Work vector_work(const Operators& operators, std::int64_t updates) {
    const auto numbers = operators.points() * updates;
    return {2.0 * double(numbers), numbers * 2 * Bytes(sizeof(double))};
}

Directions::Directions(const Operators& operators, std::int64_t families)
    : vectors_(std::size_t(families)), eta_(std::size_t(operators.plan().restart)) {
    for (auto& family : vectors_) family.assign(eta_.size(), operators.zeros());
}

void Directions::make(std::span<const Vector* const> start, std::span<const double> beta) {
    const std::int64_t known = count();
    const std::int64_t slot = slot_of(made_);
    for (std::size_t family = 0; family < vectors_.size(); ++family) {
        auto& old = vectors_[family];
        Vector& target = old[std::size_t(slot)];
        for (std::size_t i = 0; i < target.size(); ++i) {
            double sum = (*start[family])[i];
            for (std::int64_t j = 0; j < known; ++j)
                sum += beta[std::size_t(j)] * old[std::size_t(j)][i];
            target[i] = sum;
        }
    }
    ++made_;
}

bool Iteration::note(double squared_norm) {
    ++done;
    if (!is_real()) return done == plan().iterations;
    const double residual = std::sqrt(std::max(squared_norm, 0.0) / squared_rhs);
    solution->residuals.push_back(residual);
    solution->iterations = done;
    solution->has_converged = residual < plan().tolerance;
    return solution->has_converged || done == plan().iterations;
}

}  // namespace tradewind::helmholtz
