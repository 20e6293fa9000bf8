/// Norms of the error of a model with a known solution.
#pragma once

#include <algorithm>
#include <cmath>

namespace tradewind::models {

/// Norms of the difference from the known solution, relative to those of the solution and weighted
/// by area.
struct ErrorNorms {
    double l1 = 0.0;
    double l2 = 0.0;
    double maximum = 0.0;
};

/// Sums of the lengths of the difference and of the solution, for one quantity.
class NormSums {
public:
    /// Adds a point that stands for the area `weight`.
    void add(double weight, double difference, double solution) {
        add_to(difference_, weight, difference);
        add_to(solution_, weight, solution);
    }
    /// Adds the sums over other points.
    void add(const NormSums& other) {
        merge(difference_, other.difference_);
        merge(solution_, other.solution_);
    }
    [[nodiscard]] ErrorNorms relative() const {
        return {difference_.l1 / solution_.l1, std::sqrt(difference_.l2 / solution_.l2),
                difference_.maximum / solution_.maximum};
    }

private:
    static void add_to(ErrorNorms& sums, double weight, double length) {
        length = std::abs(length);
        sums.l1 += weight * length;
        sums.l2 += weight * length * length;
        sums.maximum = std::max(sums.maximum, length);
    }
    static void merge(ErrorNorms& sums, const ErrorNorms& other) {
        sums.l1 += other.l1;
        sums.l2 += other.l2;
        sums.maximum = std::max(sums.maximum, other.maximum);
    }

    ErrorNorms difference_;
    ErrorNorms solution_;
};

}  // namespace tradewind::models
