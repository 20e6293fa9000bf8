/// The start and end of the test programs that mpiexec starts.
#pragma once

namespace tradewind {

/// Makes the communicators that the test cases use; collective.
void begin_processes();
/// Frees these communicators; collective.
void end_processes();

}  // namespace tradewind
