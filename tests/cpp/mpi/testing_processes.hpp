/// What the test programs that mpiexec starts do before the first case and after the last one.
#pragma once

namespace tradewind {

/// Collective: makes the communicators that the cases use.
void begin_processes();
/// Collective: frees them.
void end_processes();

}  // namespace tradewind
