/// Runs every allreduce algorithm on 33 simulated ranks with real data.
#include <iostream>
#include <set>
#include <vector>

#include "tradewind/comm/allreduce/allreduce.hpp"
#include "tradewind/simcomm/virtual_ranks.hpp"

int main() {
    using namespace tradewind;
    constexpr Rank ranks = 33;
    for (const auto& algorithm : allreduce_algorithms()) {
        std::vector<double> values;
        for (Rank r = 0; r < ranks; ++r) values.push_back(double(r));
        simcomm::run_virtual(ranks, [&](Comm& comm) {
            const std::span<double> own(&values[std::size_t(comm.rank())], 1);
            Options options;
            if (algorithm.default_radix > 0) options.radix = algorithm.default_radix;
            return algorithm.run(comm, {Buffer(own), sum<double>()}, options);
        });
        std::cout << algorithm.name << ":";
        for (const double value : std::set<double>(values.begin(), values.end()))
            std::cout << ' ' << value;
        std::cout << '\n';
    }
}
