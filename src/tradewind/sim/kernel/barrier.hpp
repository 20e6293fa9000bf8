/// SpinBarrier: a meeting of threads between two windows. They spin first, then yield, and sleep
/// where others want the cores, too.
#pragma once

#include <atomic>
#include <chrono>
#include <thread>

namespace tradewind::sim {

class SpinBarrier {
public:
    explicit SpinBarrier(int threads) noexcept : threads_(threads) {}

    void arrive_and_wait() noexcept {
        if (threads_ == 1) return;
        const unsigned phase = phase_.load(std::memory_order_relaxed);
        if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == threads_) {
            arrived_.store(0, std::memory_order_relaxed);
            phase_.store(phase + 1, std::memory_order_release);
            phase_.notify_all();
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
        phase_.wait(phase, std::memory_order_acquire);
    }

private:
    using Clock = std::chrono::steady_clock;

    [[nodiscard]] bool is_over(unsigned phase) const noexcept {
        return phase_.load(std::memory_order_acquire) != phase;
    }
    /// Returns false as soon as a yield takes so long that another thread must have had the core
    /// for its time slice. Each meeting would take several time slices then, whereas a thread that
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

    static constexpr int spins = 2000;
    static constexpr std::chrono::microseconds long_yield{500};
    /// The number of waits of single threads that are slept through before yielding is tried again.
    static constexpr int asleep_when_crowded = 1000;

    const int threads_;
    std::atomic<int> crowded_{0};
    alignas(64) std::atomic<int> arrived_{0};
    alignas(64) std::atomic<unsigned> phase_{0};
};

}  // namespace tradewind::sim
