/// Arithmetic without numbers below the smallest normal one, as compilers of Fortran set it for
/// whole programs.
#pragma once

#include <cstdint>

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

namespace tradewind {

/// A scope in which this thread takes such numbers for zero, as arguments and as results. Most
/// processors need a hundred cycles for each of them, and tails of wave spectra in single precision
/// have many.
class FlushToZero {
public:
    FlushToZero() noexcept : before_(control()) { set_control(before_ | flush_bits); }
    ~FlushToZero() { set_control(before_); }
    FlushToZero(const FlushToZero&) = delete;
    FlushToZero& operator=(const FlushToZero&) = delete;

private:
#if defined(__SSE2__)
    /// Bits 15 (results) and 6 (arguments) of MXCSR.
    static constexpr std::uint32_t flush_bits = 0x8040;
    [[nodiscard]] static std::uint32_t control() noexcept { return _mm_getcsr(); }
    static void set_control(std::uint32_t bits) noexcept { _mm_setcsr(bits); }
    std::uint32_t before_;
#elif defined(__aarch64__)
    /// Bit 24 of FPCR, for both.
    static constexpr std::uint64_t flush_bits = std::uint64_t{1} << 24;
    [[nodiscard]] static std::uint64_t control() noexcept {
        std::uint64_t bits = 0;
        __asm__ volatile("mrs %0, fpcr" : "=r"(bits));
        return bits;
    }
    static void set_control(std::uint64_t bits) noexcept {
        __asm__ volatile("msr fpcr, %0" : : "r"(bits));
    }
    std::uint64_t before_;
#else
    static constexpr int flush_bits = 0;
    [[nodiscard]] static int control() noexcept { return 0; }
    static void set_control(int /*bits*/) noexcept {}
    int before_;
#endif
};

}  // namespace tradewind
