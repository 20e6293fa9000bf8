/// The rules of each MPI library: a file and a line in the table of libraries.
#pragma once

#include <span>
#include <string_view>

#include "tradewind/trace/collectives/library_rules.hpp"

namespace tradewind::trace {

/// The algorithms among which a library chooses for the calls of an operation.
struct OperationRow {
    std::string_view operation;
    std::span<const std::string_view> algorithms;
};

[[nodiscard]] std::span<const OperationRow> mpich_rows() noexcept;
[[nodiscard]] std::size_t mpich_choice(Call call, Rank ranks, Bytes bytes) noexcept;

[[nodiscard]] std::span<const OperationRow> openmpi_rows() noexcept;
[[nodiscard]] std::size_t openmpi_choice(Call call, Rank ranks, Bytes bytes) noexcept;

}  // namespace tradewind::trace
