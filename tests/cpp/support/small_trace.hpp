/// A trace of a ring as an unpacked file.
#pragma once

#include <fstream>
#include <string>
#include <vector>

#include "support/folder.hpp"
#include "tradewind/trace/builder.hpp"

namespace support {

using namespace tradewind;

/// Writes a trace as Python unpacks it.
inline void write_unpacked(const std::string& path, const trace::Trace& trace) {
    std::vector<std::string> parts;
#define ARRAY(name) \
    parts.emplace_back(reinterpret_cast<const char*>(trace.name.data()), 8 * trace.name.size());
#include "tradewind/trace/arrays.def"
#undef ARRAY
    parts.push_back(trace.strings);
    std::ofstream file(path, std::ios::binary);
    file << "TWTRACE1";
    std::uint64_t begin = 8 + 16 * parts.size();
    for (const std::string& part : parts) {
        const std::uint64_t place[] = {begin, part.size()};
        file.write(reinterpret_cast<const char*>(place), sizeof(place));
        begin += (part.size() + 7) / 8 * 8;
    }
    for (const std::string& part : parts)
        file << part << std::string((8 - part.size() % 8) % 8, '\0');
}

/// Returns the path of a trace in which each rank sends 100 bytes around the ring, three times, and
/// all add a number.
inline std::string path_of_small_trace(Rank ranks) {
    static const Folder folder;
    const std::string path = folder.path() / (std::to_string(ranks) + ".trace-unpacked");
    trace::TraceBuilder builder(ranks);
    for (Rank rank = 0; rank < ranks; ++rank) {
        const Rank right = (rank + 1) % ranks - rank;
        const Rank left = (rank + ranks - 1) % ranks - rank;
        const auto around = builder.event(
            {trace::Call::sendrecv, trace::world, 0, trace::none, {right, 1, 100, left, 1, 100}});
        const auto sum = builder.event({trace::Call::allreduce, trace::world, 0, trace::none, {8}});
        for (int turn = 0; turn < 3; ++turn) {
            builder.add(rank, around, {});
            builder.add(rank, sum, {});
        }
    }
    write_unpacked(path, builder.finish());
    return path;
}

}  // namespace support
