/// PhaseTimes: the times of one rank in the phases that a program names.
#pragma once

#include <chrono>
#include <ctime>
#include <string>
#include <vector>

#include "tradewind/comm/types.hpp"

namespace tradewind::mpi {

/// The time that a rank has spent in all phases of one name.
struct PhaseTime {
    std::string name;
    /// The wall-clock time.
    double seconds = 0.0;
    /// The part of it in calls of MPI that end when a message or a collective is complete.
    double blocked = 0.0;
    /// The processor time of the process.
    double processor = 0.0;
    /// The bytes of the messages that the rank has received, without those of puts.
    Bytes received = 0;
};

/// Counts nothing before the first phase has begun, so that programs that do not ask pay nothing.
class PhaseTimes {
public:
    /// Ends the current phase, and begins the one called `name`.
    void begin(const char* name) {
        end();
        current_ = index_of(name);
        wall_ = Clock::now();
        processor_ = processor_time();
    }
    /// Ends the current phase.
    void end() {
        if (!is_open()) return;
        PhaseTime& phase = phases_[std::size_t(current_)];
        phase.seconds += since(wall_);
        phase.processor += processor_time() - processor_;
        current_ = -1;
    }
    void receive(Bytes size) noexcept {
        if (is_open()) phases_[std::size_t(current_)].received += size;
    }
    [[nodiscard]] bool is_open() const noexcept { return current_ >= 0; }
    /// Returns all phases in the order in which they began first.
    [[nodiscard]] const std::vector<PhaseTime>& phases() const noexcept { return phases_; }

    /// A call of MPI that blocks, as long as the object lives.
    class Blocked {
    public:
        explicit Blocked(PhaseTimes& times) : times_(times) {
            if (times_.is_open()) begin_ = Clock::now();
        }
        ~Blocked() {
            if (times_.is_open())
                times_.phases_[std::size_t(times_.current_)].blocked += since(begin_);
        }
        Blocked(const Blocked&) = delete;
        Blocked& operator=(const Blocked&) = delete;

    private:
        PhaseTimes& times_;
        std::chrono::steady_clock::time_point begin_;
    };

private:
    using Clock = std::chrono::steady_clock;

    [[nodiscard]] static double since(Clock::time_point begin) {
        return std::chrono::duration<double>(Clock::now() - begin).count();
    }
    [[nodiscard]] static double processor_time() {
        std::timespec now{};
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
        return double(now.tv_sec) + 1e-9 * double(now.tv_nsec);
    }
    [[nodiscard]] std::ptrdiff_t index_of(const char* name) {
        for (std::size_t n = 0; n < phases_.size(); ++n)
            if (phases_[n].name == name) return std::ptrdiff_t(n);
        phases_.emplace_back().name = name;
        return std::ptrdiff_t(phases_.size()) - 1;
    }

    std::vector<PhaseTime> phases_;
    std::ptrdiff_t current_ = -1;
    Clock::time_point wall_;
    double processor_ = 0.0;
};

}  // namespace tradewind::mpi
