/// Tuning: which algorithm is best for an operation, by ranks and bytes, as found by `tradewind
/// tune`.
///
/// The table is plain text, one case on a line, `-` for an option that is left at its default:
///
///     tradewind-tuning 1
///     # operation ranks from to algorithm radix window protocol transport
///     alltoallv 64 0 5792 bruck_k 4 - - -
///     alltoallv 64 5793 9223372036854775807 ring - - (0,1) puts
///
/// The last word may be missing. Where `transport` is "puts", the caller opens the channel (see
/// put_channel.hpp) before it runs the algorithm. An operation with a dot in its name is a choice
/// of a model, MODEL.KEY, whose algorithms the model knows. `tradewind tune -o tuning.json` writes
/// the table as tuning.table beside the JSON file.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tradewind/comm/allreduce/allreduce.hpp"
#include "tradewind/comm/alltoallv/alltoallv.hpp"
#include "tradewind/comm/choice.hpp"
#include "tradewind/comm/neighbor/neighbor.hpp"

namespace tradewind {

/// What was found for one operation on `ranks` ranks and `from` .. `to` bytes: of each block
/// (alltoallv), of the vector (allreduce) or of each message (neighbor).
struct TunedCase {
    std::string operation;
    Rank ranks = 1;
    Bytes from = 0;
    Bytes to = 0;
    std::string algorithm;
    /// Of a model's choice nothing but the defaults.
    Options options;
    /// Algorithm and options as one text, see choice.hpp.
    std::string choice;
};

class Tuning {
public:
    /// The table itself; ConfigError names the line that is wrong.
    [[nodiscard]] static Tuning parse(std::string_view table);
    /// From a file; of a .json file the table beside it is read.
    [[nodiscard]] static Tuning load(const std::string& path);

    [[nodiscard]] const std::vector<TunedCase>& cases() const noexcept { return cases_; }
    /// The case of the nearest number of ranks (by ratio), and of the nearest range there; compare
    /// its `ranks` to know. ConfigError if the operation was not tuned.
    [[nodiscard]] const TunedCase& pick(std::string_view operation, Rank ranks, Bytes bytes) const;
    /// All ranks must ask with the same number of bytes, or they would not choose alike.
    [[nodiscard]] Choice<AlltoallvAlgorithm> alltoallv(Rank ranks, Bytes block) const;
    [[nodiscard]] Choice<AllreduceAlgorithm> allreduce(Rank ranks, Bytes vector) const;
    [[nodiscard]] Choice<NeighborAlgorithm> neighbor(Rank ranks, Bytes message) const;

private:
    std::vector<TunedCase> cases_;
};

}  // namespace tradewind
