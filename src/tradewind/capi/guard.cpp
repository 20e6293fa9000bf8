/// The functions that keep the text of the last error.
#include "tradewind/capi/guard.hpp"

#include <string>

namespace tradewind::capi {

namespace {

thread_local std::string last_error;

}  // namespace

int fail(std::string_view function, const char* what, tradewind_code code) noexcept {
    try {
        last_error = text(function, ": ", what);
    } catch (const std::exception&) {
        last_error.clear();
    }
    return code;
}

void require_mpi() {
    int started = 0;
    int ended = 0;
    MPI_Initialized(&started);
    MPI_Finalized(&ended);
    if (started == 0) {
        throw ConfigError(
            "MPI has not been started; call MPI_Init or tradewind_init before. If it has, then by "
            "another MPI library than the one tradewind was built with");
    }
    if (ended != 0) throw ConfigError("MPI has been ended by MPI_Finalize");
}

}  // namespace tradewind::capi

const char* tradewind_last_error(void) {
    return tradewind::capi::last_error.c_str();
}
