/// The error tree: every message says who complains, what was given and what was expected.
#pragma once

#include <sstream>
#include <stdexcept>
#include <string>

namespace tradewind {

struct Error : std::runtime_error {
    using std::runtime_error::runtime_error;
};
/// An invalid parameter given by the user.
struct ConfigError : Error {
    using Error::Error;
};
/// An impossible network shape or wiring.
struct TopologyError : ConfigError {
    using ConfigError::ConfigError;
};
/// A trace that cannot be read or does not fit the run.
struct TraceError : Error {
    using Error::Error;
};
/// A deadlock of the simulated program; the message names the waiting ranks.
struct DeadlockError : Error {
    using Error::Error;
};
/// A failure reported by the MPI library.
struct MpiError : Error {
    using Error::Error;
};
/// A request, by the user or by a signal, to stop the run.
struct Interrupted : Error {
    using Error::Error;
};

/// Concatenates its arguments into one string: `text("rank ", 3, " of ", 8)`.
template <class... Parts>
[[nodiscard]] std::string text(const Parts&... parts) {
    std::ostringstream out;
    (out << ... << parts);
    return out.str();
}

}  // namespace tradewind
