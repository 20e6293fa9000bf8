/// Verification: a run of every algorithm of every operation with real data, and a comparison with
/// the definition of the operation.
#pragma once

#include <string>
#include <vector>

#include "tradewind/comm/comm.hpp"

namespace tradewind {

struct Verdict {
    std::string operation;
    std::string algorithm;
    /// The number of ranks with a wrong result; 0 if the algorithm is correct.
    std::int64_t wrong = 0;
};

/// Runs each algorithm with its default options, on short and on long data. All ranks get the same
/// verdicts. Barriers are only run: without a common clock a rank cannot observe that they hold
/// others back.
Task verify_algorithms(Comm& comm, std::vector<Verdict>& verdicts);

}  // namespace tradewind
