/// check: turns the error codes of MPI into exceptions; and what it can count.
#pragma once

#include <mpi.h>

#include <climits>
#include <string>

#include "tradewind/base/errors.hpp"
#include "tradewind/base/units.hpp"

namespace tradewind::mpi {

/// What the library says about an error code.
[[nodiscard]] std::string error_text(int code);

[[noreturn]] void fail(int code, const char* action);

/// Throws MpiError unless `code` is MPI_SUCCESS. Needs an error handler that returns, see
/// `ReturnErrors`.
inline void check(int code, const char* action) {
    if (code != MPI_SUCCESS) fail(code, action);
}

/// As the calls of MPI count; throws ConfigError for more than they can.
[[nodiscard]] inline int count_of(Bytes number) {
    if (number <= INT_MAX) return int(number);
    throw ConfigError(text("native collectives take at most 2^31 - 1 bytes, not ", number));
}

}  // namespace tradewind::mpi
