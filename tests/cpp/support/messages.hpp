/// The messages of errors.
#pragma once

#include <string>
#include <string_view>

namespace support {

/// Returns the message of the exception that `function` throws, or nothing.
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
