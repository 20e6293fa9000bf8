/// What an error says.
#pragma once

#include <string>
#include <string_view>

namespace support {

/// What `function` throws says, or nothing.
template <class Exception, class Function>
std::string message_of(const Function& function) {
    try {
        function();
    } catch (const Exception& error) {
        return error.what();
    }
    return {};
}

inline bool says(const std::string& message, std::string_view part) {
    return message.find(part) != std::string::npos;
}

}  // namespace support
