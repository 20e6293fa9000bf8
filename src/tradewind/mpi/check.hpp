/// Checks of MPI calls: error codes as exceptions, and the limits of counts.
#pragma once

#include <mpi.h>

#include <climits>
#include <string>

#include "tradewind/base/errors.hpp"
#include "tradewind/base/units.hpp"

namespace tradewind::mpi {

/// Returns the library's description of an error code.
[[nodiscard]] std::string error_text(int code);

[[noreturn]] void fail(int code, const char* action);

/// Throws MpiError unless `code` is MPI_SUCCESS. It needs an error handler that returns, see
/// `ReturnErrors`.
inline void check(int code, const char* action) {
    if (code != MPI_SUCCESS) fail(code, action);
}

/// Converts a number to a count of MPI; throws ConfigError for numbers above 2^31 - 1.
[[nodiscard]] inline int count_of(Bytes number) {
    if (number <= INT_MAX) return int(number);
    throw ConfigError(text("native collectives take at most 2^31 - 1 bytes, not ", number));
}

}  // namespace tradewind::mpi
