/// The limits of this processor, measured beside kernels on one core in processor time, and a
/// report of both as JSON.
///
/// The roofline of a kernel is the longest of the times that memory, multiplications, additions,
/// both together and divisions need at these rates. Numbers are float or double.
#pragma once

#include <functional>

namespace tradewind::bench {

/// Returns processor time, since wall-clock time on a machine with other work is not meaningful.
[[nodiscard]] double now();

/// Returns the shortest time of one call within `budget` seconds, after one call that does not
/// count.
[[nodiscard]] double fastest(double budget, const std::function<void()>& work);

/// Operations and bytes per second, as measured within `budget` seconds for each.
template <class Real>
struct Roofline {
    explicit Roofline(double budget);

    double flops;
    double multiplications;
    double additions;
    double divisions;
    double bandwidth;
};

extern template struct Roofline<float>;
extern template struct Roofline<double>;

/// The operations of a kernel per number, as in its source. Comparisons, selections and changes of
/// sign do not count.
struct KernelCounts {
    const char* name;
    double multiplications;
    double additions;
    double divisions;
    /// Fields that are read from memory or written to it.
    double arrays;
};

/// Measures kernels and the roofline beside each, and prints them.
class Reporter {
public:
    /// Spends `budget` seconds on each kernel, and as much on its roofline. `unit` is the name of
    /// the numbers that are counted per second.
    Reporter(double budget, const char* unit);
    ~Reporter();
    Reporter(const Reporter&) = delete;
    Reporter& operator=(const Reporter&) = delete;

    /// Measures a kernel that treats `numbers` numbers in one call.
    template <class Real>
    void measure(const KernelCounts& counts, double numbers, const std::function<void()>& work);

private:
    double budget_;
    const char* unit_;
    bool is_first_ = true;
};

}  // namespace tradewind::bench
