/// FlatFile: a trace as a file of plain arrays that is mapped into memory, so that a trace can be
/// larger than the memory.
///
///     "TWTRACE1"                        8 bytes
///     offset size                       two 64-bit numbers for each array of arrays.def, then for
///                                       the strings: bytes from the start of the file, and bytes
///     ...                               the arrays, at multiples of 8 bytes
///
/// Python unpacks a trace into such a file (tradewind/trace_file.py); numbers have the byte order
/// of the machine.
#pragma once

#include <string>

#include "tradewind/trace/trace.hpp"

namespace tradewind::trace {

/// A mapped file, whose content has been checked.
class FlatFile {
public:
    /// Throws TraceError, naming the file, if it cannot be read or is damaged.
    explicit FlatFile(const std::string& path);
    ~FlatFile();
    FlatFile(const FlatFile&) = delete;
    FlatFile& operator=(const FlatFile&) = delete;

    [[nodiscard]] const TraceView& view() const noexcept { return view_; }

private:
    void read(const std::string& path);

    void* memory_ = nullptr;
    std::size_t size_ = 0;
    TraceView view_;
};

}  // namespace tradewind::trace
