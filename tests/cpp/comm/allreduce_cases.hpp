/// An allreduce of doubles, with the expected result.
#pragma once

#include <algorithm>
#include <cstring>
#include <vector>

#include "algorithm_cases.hpp"
#include "tradewind/base/random.hpp"
#include "tradewind/comm/allreduce/allreduce.hpp"

namespace tradewind {

using Vector = std::vector<double>;

/// The vectors of all ranks, which the result replaces.
class Vectors {
public:
    template <class Value>
    Vectors(Rank ranks, std::size_t length, Value value)
        : vectors_(std::size_t(ranks), Vector(length)) {
        for (Rank r = 0; r < ranks; ++r) {
            for (std::size_t i = 0; i < length; ++i) vectors_[std::size_t(r)][i] = value(r, i);
        }
    }
    Sent run(const AllreduceAlgorithm& algorithm, Options options, Reduction reduction,
             const Machine& machine = run_ranks) {
        const auto start = [&](Comm& comm) {
            const std::span<double> own(vectors_[std::size_t(comm.rank())]);
            return algorithm.run(comm, {Buffer(own), reduction}, options);
        };
        Sent sent = run_counted(Rank(vectors_.size()), start, machine);
        share_all(vectors_);
        return sent;
    }
    [[nodiscard]] const Vector& operator[](std::size_t rank) const { return vectors_[rank]; }
    /// Reports whether all ranks hold the same bits.
    [[nodiscard]] bool agree() const {
        return std::ranges::all_of(vectors_, [&](const Vector& vector) {
            return vector.empty() || std::memcmp(vector.data(), vectors_[0].data(),
                                                 vector.size() * sizeof(double)) == 0;
        });
    }

private:
    std::vector<Vector> vectors_;
};

inline double whole_number(Rank rank, std::size_t i) {
    return double(std::int64_t(mix(std::uint64_t(rank), i) % 2001) - 1000);
}

/// Returns the vectors of all ranks, of whole numbers.
inline std::vector<Vector> whole_vectors(Rank ranks, std::size_t length) {
    std::vector<Vector> vectors;
    for (Rank r = 0; r < ranks; ++r) {
        Vector& vector = vectors.emplace_back(length);
        for (std::size_t i = 0; i < length; ++i) vector[i] = whole_number(r, i);
    }
    return vectors;
}

template <class Operation>
Vector combined(Rank ranks, std::size_t length, Operation operation) {
    Vector result(length);
    for (std::size_t i = 0; i < length; ++i) {
        result[i] = whole_number(0, i);
        for (Rank r = 1; r < ranks; ++r) result[i] = operation(result[i], whole_number(r, i));
    }
    return result;
}

}  // namespace tradewind
