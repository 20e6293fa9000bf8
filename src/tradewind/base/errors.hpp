/// The error tree: every message says who complains, what was given and what was expected.
#pragma once

#include <charconv>
#include <concepts>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <string_view>

namespace tradewind {

struct Error : std::runtime_error {
    using std::runtime_error::runtime_error;
};
/// An invalid parameter given by the user.
struct ConfigError : Error {
    using Error::Error;
};
/// An impossible network shape or wiring.
struct TopologyError : ConfigError {
    using ConfigError::ConfigError;
};
/// A trace that cannot be read or does not fit the run.
struct TraceError : Error {
    using Error::Error;
};
/// A deadlock of the simulated program; the message names the waiting ranks.
struct DeadlockError : Error {
    using Error::Error;
};
/// A message of the simulated program that its receive cannot take.
struct MessageError : Error {
    using Error::Error;
};
/// A failure reported by the MPI library.
struct MpiError : Error {
    using Error::Error;
};
/// A request, by the user or by a signal, to stop the run.
struct Interrupted : Error {
    using Error::Error;
};

/// A piece of a text: a string, a letter or a number, in the form that streams give it.
class TextPart {
public:
    TextPart(const char* letters) noexcept : text_(letters) {}
    TextPart(std::string_view letters) noexcept : text_(letters) {}
    TextPart(const std::string& letters) noexcept : text_(letters) {}
    TextPart(char letter) noexcept : text_(digits_, 1) { digits_[0] = letter; }
    TextPart(std::integral auto number) noexcept {
        if constexpr (sizeof(number) == 1) {
            write(int(number));
        } else {
            write(number);
        }
    }
    TextPart(double number) noexcept { write(number, std::chars_format::general, 6); }
    TextPart(const TextPart&) = delete;
    TextPart& operator=(const TextPart&) = delete;

    [[nodiscard]] std::string_view view() const noexcept { return text_; }

private:
    template <class... Arguments>
    void write(Arguments... arguments) noexcept {
        const auto end = std::to_chars(digits_, digits_ + sizeof digits_, arguments...).ptr;
        text_ = std::string_view(digits_, std::size_t(end - digits_));
    }

    std::string_view text_;
    char digits_[32];
};

/// Returns the parts one after the other.
[[nodiscard]] inline std::string join_text(std::initializer_list<TextPart> parts) {
    std::string all;
    for (const TextPart& part : parts) all += part.view();
    return all;
}

/// Concatenates its arguments into one string: `text("rank ", 3, " of ", 8)`.
template <class... Parts>
[[nodiscard]] std::string text(const Parts&... parts) {
    return join_text({TextPart(parts)...});
}

}  // namespace tradewind
