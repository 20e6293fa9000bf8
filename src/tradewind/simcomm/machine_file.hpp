/// Machine files for C++ programs: TOML in base units, as `tradewind machine export` writes it.
#pragma once

#include <string>
#include <string_view>

#include "tradewind/simcomm/assemble.hpp"

namespace tradewind::simcomm {

/// Reads the sections of a machine: topology, routing, link, switch, nic, node and message. Those
/// of the job, placement and simulation, have defaults and may be added.
///
/// Quantities are numbers with the units B, ps, B/s, flop/s or ps/B. Throws ConfigError with file
/// and line if a line cannot be read, or names a key that the machine does not have.
[[nodiscard]] Sections read_machine_file(const std::string& path);
/// Reads the same from text; `name` stands for the file in errors.
[[nodiscard]] Sections read_machine_text(std::string_view content, std::string_view name);

}  // namespace tradewind::simcomm
