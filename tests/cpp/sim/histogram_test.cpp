/// Tests of Histogram: bins, quantiles, and sums that do not depend on the order.
#include <cmath>

#include "testing.hpp"
#include "tradewind/base/random.hpp"
#include "tradewind/sim/observe/histogram.hpp"

using namespace tradewind;
using tradewind::sim::Histogram;

namespace {

int only_bin(Picoseconds value) {
    Histogram histogram;
    histogram.add(value);
    for (int bin = 0; bin < Histogram::bins; ++bin) {
        if (histogram.in_bin(bin) == 1) return bin;
    }
    return -1;
}

}  // namespace

TEST_CASE("each time falls into the bin whose edges enclose it") {
    for (std::uint64_t i = 0; i < 2000; ++i) {
        const auto value = i < 300 ? Picoseconds(i) : Picoseconds(mix(i) >> (17 + i % 46));
        const int bin = only_bin(value);
        CAPTURE(value, bin);
        CHECK(Histogram::edge(bin) <= double(value));
        CHECK(bin == Histogram::bins - 1 || double(value) < Histogram::edge(bin + 1) || bin == 0);
    }
    CHECK_EQ(only_bin(0), 0);
    CHECK_EQ(only_bin(Picoseconds{1} << 60), Histogram::bins - 1);
}

TEST_CASE("a bin is at most one sixteenth of its lower edge wide") {
    for (int bin = 1; bin + 1 < Histogram::bins; ++bin) {
        CHECK(Histogram::edge(bin + 1) - Histogram::edge(bin) <=
              Histogram::edge(bin) / 16.0 + 1e-9);
    }
}

TEST_CASE("mean, minimum and maximum are exact") {
    Histogram histogram;
    double sum = 0.0;
    for (Picoseconds i = 1; i <= 1000; ++i) {
        histogram.add(i * i * 1'000'003);
        sum += double(i * i * 1'000'003);
    }
    CHECK_EQ(histogram.count(), 1000);
    CHECK_EQ(histogram.minimum(), 1'000'003);
    CHECK_EQ(histogram.maximum(), 1'000'003'000'000);
    CHECK(std::abs(histogram.mean() - sum / 1000) < 1e-6 * sum / 1000);
}

TEST_CASE("quantiles are right within the width of a bin") {
    Histogram histogram;
    for (Picoseconds i = 1; i <= 10'000; ++i) histogram.add(i * 1000);
    for (const double fraction : {0.01, 0.1, 0.5, 0.9, 0.99, 1.0}) {
        CAPTURE(fraction);
        CHECK(std::abs(histogram.quantile(fraction) / (fraction * 1e7) - 1.0) < 1.0 / 16);
    }
    CHECK(histogram.quantile(0.0) >= 1000.0 && histogram.quantile(0.0) <= 1000.0 * 17 / 16);
}

TEST_CASE("merged histograms equal one that has seen all values") {
    Histogram all;
    Histogram odd;
    Histogram even;
    for (std::uint64_t i = 0; i < 5000; ++i) {
        const auto value = Picoseconds(mix(i) >> 30);
        all.add(value);
        (i % 2 == 0 ? even : odd).add(value);
    }
    odd.merge(even);
    CHECK_EQ(odd.count(), all.count());
    CHECK_EQ(odd.mean(), all.mean());
    CHECK_EQ(odd.minimum(), all.minimum());
    CHECK_EQ(odd.maximum(), all.maximum());
    for (int bin = 0; bin < Histogram::bins; ++bin) CHECK_EQ(odd.in_bin(bin), all.in_bin(bin));
}

TEST_CASE("an empty histogram is all zeros") {
    const Histogram nothing;
    CHECK_EQ(nothing.count(), 0);
    CHECK_EQ(nothing.mean(), 0.0);
    CHECK_EQ(nothing.minimum(), 0);
    CHECK_EQ(nothing.maximum(), 0);
    CHECK_EQ(nothing.quantile(0.5), 0.0);
}
