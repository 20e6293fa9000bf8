/// SpinBarrier: threads meet between two windows; spins first, then yields, for machines with fewer
/// cores than threads.
#pragma once

#include <atomic>
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
            return;
        }
        for (int spin = 0; phase_.load(std::memory_order_acquire) == phase; ++spin) {
            if (spin > 2000) std::this_thread::yield();
        }
    }

private:
    const int threads_;
    alignas(64) std::atomic<int> arrived_{0};
    alignas(64) std::atomic<unsigned> phase_{0};
};

}  // namespace tradewind::sim
