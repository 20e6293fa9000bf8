/// The error messages of MPI.
#include "tradewind/mpi/check.hpp"

namespace tradewind::mpi {

std::string error_text(int code) {
    char words[MPI_MAX_ERROR_STRING];
    int length = 0;
    if (MPI_Error_string(code, words, &length) != MPI_SUCCESS) return text("error code ", code);
    return {words, static_cast<std::size_t>(length)};
}

void fail(int code, const char* action) {
    throw MpiError(text(action, " failed: ", error_text(code)));
}

}  // namespace tradewind::mpi
