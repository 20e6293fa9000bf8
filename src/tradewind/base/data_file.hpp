/// The values of settings that name files: "PATH#sha256=DIGEST", or the path alone.
#pragma once

#include <fstream>
#include <sstream>
#include <string>
#include <string_view>

namespace tradewind {

/// Stands between path and digest; python/tradewind/config/data_file.py has it, too.
inline constexpr std::string_view digest_mark = "#sha256=";

/// Returns the path.
[[nodiscard]] inline std::string path_of_file(const std::string& value) {
    return value.substr(0, value.find(digest_mark));
}

/// Returns the name of the file for messages. Copies in the cache folder of the user are called
/// DIGEST.NAME and an ending; NAME is that of the original. All other files have their paths.
[[nodiscard]] inline std::string name_of_file(const std::string& value) {
    std::string path = path_of_file(value);
    for (const std::string_view ending : {".trace-unpacked", ".netcdf-classic"}) {
        const auto point = path.find('.', path.rfind('/') + 1);
        if (path.ends_with(ending) && point < path.size() - ending.size())
            return path.substr(point + 1, path.size() - ending.size() - point - 1);
    }
    return path;
}

/// Returns the digest of the content, or the value itself if it has none.
[[nodiscard]] inline std::string content_of_file(const std::string& value) {
    const auto mark = value.find(digest_mark);
    return mark == std::string::npos ? value : value.substr(mark + digest_mark.size());
}

/// Returns the content of the file whose absolute path `value` is, if there is one, or `value`
/// itself. Text of several lines reaches other processes by a file.
[[nodiscard]] inline std::string text_or_file(const std::string& value) {
    const bool is_path = value.starts_with('/') && value.find('\n') == std::string::npos;
    if (!is_path) return value;
    const std::ifstream in(value);
    std::ostringstream content;
    return in && content << in.rdbuf() ? content.str() : value;
}

}  // namespace tradewind
