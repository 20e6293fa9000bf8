/// The catalogue of programs: patterns and models, by name.
#pragma once

#include <span>
#include <string_view>

#include "tradewind/program/entry.hpp"

namespace tradewind {

/// Returns all programs, in the order of programs.def.
[[nodiscard]] std::span<const ProgramEntry* const> programs();
/// Returns the program of that name; throws ConfigError, naming the known ones.
[[nodiscard]] const ProgramEntry& find_program(std::string_view name);

/// Lists the ways to make each choice that is a model's own.
[[nodiscard]] std::vector<Way> model_ways();

/// Returns a line for each operation that is tuned, but for another number of ranks.
[[nodiscard]] std::vector<std::string> tuning_remarks(const ProgramEntry& program,
                                                      const Settings& settings, Rank ranks);

/// Returns whether `make_timed` makes a program with data.
[[nodiscard]] bool times_data(const ProgramEntry& program) noexcept;

/// Makes a program to be timed on real processes: with data where the entry says so, a single step
/// if no length is given.
[[nodiscard]] Program make_timed(const ProgramEntry& program, const Settings& settings, Rank ranks);

}  // namespace tradewind
