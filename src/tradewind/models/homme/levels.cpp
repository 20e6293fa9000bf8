/// Source of the coefficients: cami-26.ascii of E3SM-Project/HOMMEXX.
#include "tradewind/models/homme/levels.hpp"

#include <algorithm>
#include <iterator>

namespace tradewind::homme {

namespace {

constexpr double cami_a[] = {
    0.002194067, 0.004895209, 0.009882418, 0.01805201, 0.02983724, 0.04462334, 0.06160587,
    0.07851243,  0.07731271,  0.07590131,  0.07424086, 0.07228744, 0.06998933, 0.06728574,
    0.06410509,  0.06036322,  0.05596111,  0.05078225, 0.0446896,  0.03752191, 0.02908949,
    0.02084739,  0.01334443,  0.00708499,  0.00252136, 0.0,        0.0};
constexpr double cami_b[] = {0.0,       0.0,       0.0,        0.0,        0.0,        0.0,
                             0.0,       0.0,       0.01505309, 0.03276228, 0.05359622, 0.07810627,
                             0.1069411, 0.1408637, 0.180772,   0.227722,   0.2829562,  0.3479364,
                             0.4243822, 0.5143168, 0.6201202,  0.7235355,  0.8176768,  0.8962153,
                             0.9534761, 0.9851122, 1.0};

[[nodiscard]] double interpolate(const double (&values)[27], double at) {
    const auto k = std::min<std::int64_t>(std::int64_t(at), 25);
    const double fraction = at - double(k);
    return (1 - fraction) * values[k] + fraction * values[k + 1];
}

}  // namespace

HybridLevels hybrid_levels(std::int64_t count) {
    HybridLevels levels;
    for (std::int64_t k = 0; k <= count; ++k) {
        const double at = 26.0 * double(k) / double(count);
        levels.a.push_back(interpolate(cami_a, at));
        levels.b.push_back(interpolate(cami_b, at));
    }
    return levels;
}

}  // namespace tradewind::homme
