/// Verification: runs every algorithm of every operation with real data and compares with the
/// definition of the operation.
#pragma once

#include <string>
#include <vector>

#include "tradewind/comm/comm.hpp"

namespace tradewind {

struct Verdict {
    std::string operation;
    std::string algorithm;
    /// Ranks with a wrong result; 0 is right.
    std::int64_t wrong = 0;
};

/// Each algorithm is run with its default options, on short and on long data. All ranks get the
/// same verdicts. Barriers are only run: that they hold back a rank cannot be seen without a common
/// clock.
Task verify_algorithms(Comm& comm, std::vector<Verdict>& verdicts);

}  // namespace tradewind
