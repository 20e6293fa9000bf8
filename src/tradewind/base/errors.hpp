/// The error tree: every message says who complains, what was given and what was expected.
#pragma once

#include <sstream>
#include <stdexcept>
#include <string>

namespace tradewind {

struct Error : std::runtime_error {
    using std::runtime_error::runtime_error;
};
/// A parameter that the user gave is not acceptable.
struct ConfigError : Error {
    using Error::Error;
};
/// A network shape or wiring that cannot exist.
struct TopologyError : ConfigError {
    using ConfigError::ConfigError;
};
/// A simulated program that cannot go on; the message names the waiting ranks.
struct DeadlockError : Error {
    using Error::Error;
};
/// The MPI library reported a failure.
struct MpiError : Error {
    using Error::Error;
};
/// The user or a signal asked the run to stop.
struct Interrupted : Error {
    using Error::Error;
};

/// Joins its arguments into one string: `text("rank ", 3, " of ", 8)`.
template <class... Parts>
[[nodiscard]] std::string text(const Parts&... parts) {
    std::ostringstream out;
    (out << ... << parts);
    return out.str();
}

}  // namespace tradewind
