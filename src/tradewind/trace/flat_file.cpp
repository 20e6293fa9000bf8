/// The mapping of a flat file.
#include "tradewind/trace/flat_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>

#include "tradewind/base/errors.hpp"
#include "tradewind/trace/shapes.hpp"

namespace tradewind::trace {

namespace {

constexpr std::string_view magic = "TWTRACE1";

/// A part of a file, checked against its size.
struct FilePart {
    const std::byte* begin = nullptr;
    std::size_t size = 0;
};

/// The parts in the order of the table in front of them.
class PartTable {
public:
    PartTable(const std::byte* memory, std::size_t size) : memory_(memory), size_(size) {}

    [[nodiscard]] FilePart next() {
        std::uint64_t place[2];
        if (size_ - at_ < sizeof(place)) throw TraceError("it ends too early");
        std::memcpy(place, memory_ + at_, sizeof(place));
        at_ += sizeof(place);
        if (place[0] % 8 != 0 || place[0] > size_ || place[1] > size_ - place[0])
            throw TraceError("a part of it lies outside the file");
        return {memory_ + place[0], std::size_t(place[1])};
    }
    [[nodiscard]] Numbers next_numbers() {
        const FilePart part = next();
        if (part.size % sizeof(std::int64_t) != 0) throw TraceError("an array of it is damaged");
        return {reinterpret_cast<const std::int64_t*>(part.begin),
                part.size / sizeof(std::int64_t)};
    }

private:
    const std::byte* memory_;
    std::size_t size_;
    std::size_t at_ = magic.size();
};

}  // namespace

FlatFile::FlatFile(const std::string& path) {
    const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) throw TraceError(text(path, ": ", std::strerror(errno)));
    struct stat status{};
    if (fstat(file, &status) == 0 && status.st_size > std::int64_t(magic.size())) {
        size_ = std::size_t(status.st_size);
        memory_ = mmap(nullptr, size_, PROT_READ, MAP_SHARED, file, 0);
    }
    close(file);
    if (memory_ == nullptr || memory_ == MAP_FAILED)
        throw TraceError(text(path, ": is no unpacked trace"));
    try {
        read(path);
    } catch (...) {
        munmap(memory_, size_);
        throw;
    }
}

FlatFile::~FlatFile() {
    munmap(memory_, size_);
}

void FlatFile::read(const std::string& path) {
    const auto* const bytes = static_cast<const std::byte*>(memory_);
    if (std::memcmp(bytes, magic.data(), magic.size()) != 0)
        throw TraceError(text(path, ": is no unpacked trace"));
    try {
        PartTable parts(bytes, size_);
#define ARRAY(name) view_.name = parts.next_numbers();
#include "tradewind/trace/arrays.def"
#undef ARRAY
        const FilePart strings = parts.next();
        view_.strings = {reinterpret_cast<const char*>(strings.begin), strings.size};
        check(view_);
    } catch (const TraceError& error) {
        throw TraceError(text(path, ": ", error.what()));
    }
}

}  // namespace tradewind::trace
