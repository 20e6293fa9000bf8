/// The raw files of the recorder, put together to a trace. docs/reference/trace.md describes them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tradewind/base/units.hpp"
#include "tradewind/comm/types.hpp"
#include "tradewind/trace/builder.hpp"
#include "tradewind/trace/trace.hpp"

namespace tradewind::trace {

/// The end of the recording of a rank.
enum class RawStatus : std::int8_t { recording = 1, finished, aborted, disk_full, cannot_write };

/// A place in a program: a module, and the offset of a return address in it.
using ModuleOffset = std::pair<std::string, std::int64_t>;

struct RawSite {
    ModuleOffset place;
    /// The exported function that holds it; empty if none does. A site without a module has its
    /// final name, such as the line of a Python program, and a number that is of one rank only.
    std::string function;

    [[nodiscard]] bool has_module() const noexcept { return !place.first.empty(); }
};

/// The facts of the recording of one rank, beside its calls.
struct RawRank {
    Rank rank = 0;
    RawStatus status = RawStatus::recording;
    std::int64_t events = 0;
    /// The calls that it had written when it finished; 0 if it did not.
    std::int64_t written = 0;
    /// Calls are left out from a receive on that was never complete.
    bool is_cut = false;
    /// Messages and one-sided transfers that it started, with their bytes.
    std::int64_t messages = 0;
    Bytes bytes = 0;
    /// Time in calls and between them.
    Picoseconds inside = 0;
    Picoseconds computed = 0;
    Variation variation;
    std::int64_t thread_level = 0;
    /// Tests and probes that found nothing.
    std::int64_t failed_tests = 0;
    /// Calls on intercommunicators and on communicators with processes from outside.
    std::int64_t foreign = 0;
    /// Calls of threads that are not recorded.
    std::int64_t other_threads = 0;
    /// The number of calls of each function of MPI.
    std::map<std::string, std::int64_t> functions;
    /// The number of those of which the trace has only name and time.
    std::map<std::string, std::int64_t> named_only;
    std::map<std::string, std::string> facts;
};

struct RawRecording {
    Trace trace;
    Rank ranks = 0;
    /// Those of whom there are files, in their order.
    std::vector<RawRank> recorded;
};

/// Returns all call sites in modules in the files of a folder, each once.
[[nodiscard]] std::vector<RawSite> raw_sites(const std::filesystem::path& folder);

/// Reads the files of a folder. A rank ends where its file does, or with the first receive that is
/// not complete. Throws TraceError if the files are damaged, or not of one recording.
/// @param sites the names of call sites; others have none
[[nodiscard]] RawRecording read_raw(const std::filesystem::path& folder,
                                    const std::map<ModuleOffset, std::string>& sites);

}  // namespace tradewind::trace
