/// Output: the way by which a packet leaves a switch.
#pragma once

#include <cstdint>

namespace tradewind::sim {

/// An output port and a virtual channel in one word, which the engine carries from `foresee` to
/// `handle`. Zero stands for an unknown output.
class Output {
public:
    Output() = default;
    Output(std::uint32_t port, std::uint8_t channel) noexcept
        : word_(known | std::uint32_t{channel} << 16U | port) {}
    explicit Output(std::uint32_t word) noexcept : word_(word) {}

    [[nodiscard]] std::uint32_t port() const noexcept { return word_ & 0xffffU; }
    [[nodiscard]] int channel() const noexcept { return int(word_ >> 16U & 7U); }
    [[nodiscard]] bool is_known() const noexcept { return (word_ & known) != 0; }
    [[nodiscard]] std::uint32_t word() const noexcept { return word_; }

    /// Marks the output of a packet that brings the end of its message.
    void mark_delivery() noexcept { word_ |= delivery; }
    [[nodiscard]] bool delivers() const noexcept { return (word_ & delivery) != 0; }

private:
    static constexpr std::uint32_t known = 1U << 31U;
    static constexpr std::uint32_t delivery = 1U << 30U;

    std::uint32_t word_ = 0;
};

}  // namespace tradewind::sim
