/// Tuning: the best algorithm of each operation by ranks and bytes, as found by `tradewind tune`.
///
/// The table is plain text with one case per line; `-` stands for an option at its default:
///
///     tradewind-tuning 1
///     # operation ranks from to algorithm radix window protocol transport
///     alltoallv 64 0 5792 bruck_k 4 - - -
///     alltoallv 64 5793 9223372036854775807 ring - - (0,1) puts
///
/// The columns of the options are those of `options::all`; the last ones may be missing. If
/// `transport` is "puts", the caller opens the channel (see put_channel.hpp) before it runs the
/// algorithm. An operation with a dot in its name, MODEL.KEY, is a choice of a model, which defines
/// its algorithms. `tradewind tune -o tuning.json` writes the table to tuning.table beside the JSON
/// file.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tradewind/comm/allreduce/allreduce.hpp"
#include "tradewind/comm/alltoallv/alltoallv.hpp"
#include "tradewind/comm/choice.hpp"
#include "tradewind/comm/neighbor/neighbor.hpp"

namespace tradewind {

/// The best algorithm of one operation on `ranks` ranks with `from` .. `to` bytes: per block
/// (alltoallv), in the vector (allreduce) or per message (neighbor).
struct TunedCase {
    std::string operation;
    Rank ranks = 1;
    Bytes from = 0;
    Bytes to = 0;
    std::string algorithm;
    /// The options of the algorithm; the defaults for a choice of a model.
    Options options;
    /// The algorithm and its options as one text, see choice.hpp.
    std::string choice;
};

class Tuning {
public:
    /// Parses the text of a table; throws a ConfigError that names the wrong line.
    [[nodiscard]] static Tuning parse(std::string_view table);
    /// Reads the table from a file; for a .json file it reads the .table file beside it.
    [[nodiscard]] static Tuning load(const std::string& path);

    [[nodiscard]] const std::vector<TunedCase>& cases() const noexcept { return cases_; }
    /// Returns the case with the nearest number of ranks (by ratio) and the nearest range of bytes.
    /// Its `ranks` may differ from the argument. Throws ConfigError if the operation was not tuned.
    [[nodiscard]] const TunedCase& pick(std::string_view operation, Rank ranks, Bytes bytes) const;
    /// Returns the choice for blocks of `block` bytes; all ranks must pass the same size, or their
    /// choices may differ.
    [[nodiscard]] Choice<AlltoallvAlgorithm> alltoallv(Rank ranks, Bytes block) const;
    /// Returns the choice for a vector of `vector` bytes, the same size on all ranks.
    [[nodiscard]] Choice<AllreduceAlgorithm> allreduce(Rank ranks, Bytes vector) const;
    /// Returns the choice for messages of `message` bytes, the same size on all ranks.
    [[nodiscard]] Choice<NeighborAlgorithm> neighbor(Rank ranks, Bytes message) const;

private:
    std::vector<TunedCase> cases_;
};

}  // namespace tradewind
