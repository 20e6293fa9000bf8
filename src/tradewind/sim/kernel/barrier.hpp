/// SpinBarrier: the barrier of threads between two windows. They spin first, then yield, and sleep
/// where others want the cores, too.
#pragma once

#include <atomic>
#include <chrono>
#include <thread>

#ifdef __linux__
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <climits>
#endif

namespace tradewind::sim {

class SpinBarrier {
public:
    explicit SpinBarrier(int threads) noexcept : threads_(threads) {}

    void arrive_and_wait() noexcept {
        if (threads_ == 1) return;
        const unsigned phase = phase_.load(std::memory_order_relaxed);
        if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == threads_) {
            arrived_.store(0, std::memory_order_relaxed);
            phase_.store(phase + 1);
            if (sleepers_.load() > 0) wake_all();
            return;
        }
        for (int spin = 0; spin < spins; ++spin) {
            if (is_over(phase)) return;
        }
        if (crowded_.load(std::memory_order_relaxed) <= 0) {
            if (yields_until_over(phase)) return;
            crowded_.store(asleep_when_crowded, std::memory_order_relaxed);
        } else {
            crowded_.fetch_sub(1, std::memory_order_relaxed);
        }
        sleepers_.fetch_add(1);
        while (!is_over(phase)) sleep_while(phase);
        sleepers_.fetch_sub(1, std::memory_order_relaxed);
    }

private:
    using Clock = std::chrono::steady_clock;

    [[nodiscard]] bool is_over(unsigned phase) const noexcept {
        return phase_.load(std::memory_order_acquire) != phase;
    }
    /// Returns false as soon as a yield takes so long that another thread must have had the core
    /// for its time slice. Each barrier would take several time slices then, whereas a thread that
    /// sleeps is woken at once.
    [[nodiscard]] bool yields_until_over(unsigned phase) const noexcept {
        for (auto before = Clock::now(); !is_over(phase);) {
            std::this_thread::yield();
            const auto now = Clock::now();
            if (now - before > long_yield) return false;
            before = now;
        }
        return true;
    }

#ifdef __linux__
    // What std::atomic::wait does, without the yields that libstdc++ tries first: on a crowded
    // machine each of them costs a time slice.
    void sleep_while(unsigned phase) noexcept { futex(FUTEX_WAIT_PRIVATE, phase); }
    void wake_all() noexcept { futex(FUTEX_WAKE_PRIVATE, INT_MAX); }
    void futex(int operation, unsigned value) noexcept {
        static_assert(sizeof phase_ == sizeof(unsigned));
        syscall(SYS_futex, &phase_, operation, value, nullptr, nullptr, 0);
    }
#else
    void sleep_while(unsigned phase) noexcept { phase_.wait(phase, std::memory_order_acquire); }
    void wake_all() noexcept { phase_.notify_all(); }
#endif

    static constexpr int spins = 2000;
    static constexpr std::chrono::microseconds long_yield{500};
    /// The number of waits of single threads that are slept through before yielding is tried again.
    static constexpr int asleep_when_crowded = 1000;

    const int threads_;
    /// Shared by all barriers, as each short simulation would have to find it out again.
    static inline std::atomic<int> crowded_{0};
    std::atomic<int> sleepers_{0};
    alignas(64) std::atomic<int> arrived_{0};
    alignas(64) std::atomic<unsigned> phase_{0};
};

}  // namespace tradewind::sim
