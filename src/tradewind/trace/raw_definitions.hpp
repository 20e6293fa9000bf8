/// The file of definitions of a recorded rank, checked.
#pragma once

#include "tradewind/trace/builder.hpp"
#include "tradewind/trace/raw.hpp"

namespace tradewind::trace {

/// A signature: the event as the file has it, with the numbers of the file.
struct RawSignature {
    TracedCall event;
    /// The address of the call.
    std::uint64_t address = 0;
    /// A receive that was not complete when the recording ended.
    bool is_unresolved = false;
};

/// All that the file of one rank defines.
struct RawDefinitions {
    RawRank rank;
    Rank ranks = 0;
    std::vector<RawSignature> signatures;
    /// The ranks of each communicator, by its number.
    std::vector<std::vector<Rank>> communicators;
    std::vector<std::string> strings;
    std::map<std::uint64_t, RawSite> sites;
};

/// Reads a file `definitions.RANK`. Throws TraceError if it is damaged.
[[nodiscard]] RawDefinitions read_definitions(const std::filesystem::path& file);

}  // namespace tradewind::trace
