/// The check that all ranks make the same collective call.
#pragma once

#include <string>

#include "tradewind/capi/handle.hpp"

namespace tradewind::capi {

/// Throws ConfigError, on all ranks, unless all ranks give the same `call`, a text that names the
/// function and the arguments that must be equal; collective. Does nothing if the communicator
/// checks no counts.
void require_same_call(tradewind_comm& handle, const std::string& call);

/// Returns the name of a type or an operation as in tradewind.h.
[[nodiscard]] const char* name_of_type(int type) noexcept;
[[nodiscard]] const char* name_of_operation(int operation) noexcept;

}  // namespace tradewind::capi
