/// check: turns the error codes of MPI into exceptions.
#pragma once

#include <mpi.h>

#include <string>

#include "tradewind/base/errors.hpp"

namespace tradewind::mpi {

/// What the library says about an error code.
[[nodiscard]] std::string error_text(int code);

[[noreturn]] void fail(int code, const char* action);

/// Throws MpiError unless `code` is MPI_SUCCESS. Needs an error handler that returns, see
/// `ReturnErrors`.
inline void check(int code, const char* action) {
    if (code != MPI_SUCCESS) fail(code, action);
}

}  // namespace tradewind::mpi
