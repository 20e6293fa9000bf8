/// A temporary folder of a test.
#pragma once

#include <unistd.h>

#include <filesystem>

#include "tradewind/base/errors.hpp"

namespace support {

/// Is empty at first and removed at the end.
class Folder {
public:
    Folder()
        : path_(std::filesystem::temp_directory_path() /
                tradewind::text("tradewind-test-", ::getpid(), "-", next_++)) {
        std::filesystem::create_directories(path_);
    }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    ~Folder() { std::filesystem::remove_all(path_); }
    [[nodiscard]] const std::filesystem::path& path() const { return path_; }

private:
    inline static int next_ = 0;
    std::filesystem::path path_;
};

}  // namespace support
