/// The windowed conservative engine: all workers handle one window, wait for each other, and go on
/// to the next one that has events.
#pragma once

#include <atomic>
#include <chrono>
#include <exception>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "tradewind/base/errors.hpp"
#include "tradewind/sim/kernel/barrier.hpp"
#include "tradewind/sim/kernel/worker.hpp"

namespace tradewind::sim {

/// The function that the calling thread calls about ten times a second with the simulated time. It
/// returns false to stop the run.
using Progress = std::function<bool(Picoseconds)>;

/// An engine for a Model, which has
/// - `void seed(Worker&)`, called once by each worker before the first window;
/// - `void handle(Worker&, const Event&, std::uint32_t foreseen)`;
/// - `std::uint32_t foresee(const Event&)`, called some time before `handle`, which gets the result
///   (0 for events scheduled within their own window); it may ask for memory, but not change the
///   model;
/// - `void prefetch(const Worker&, const Event&, std::uint32_t foreseen, int round)`, called
///   between those two for rounds 1 and 2, to ask for memory whose address was not known before;
/// - where processes share a simulation, `void receive(Worker&, std::span<const std::byte>)`,
///   called between two windows with the payload that the model of another process has put into a
///   parcel.
///
/// Results never depend on the number of workers: the order of the events of one location is fixed
/// by the events themselves, and locations do not touch each other's state.
template <class Model>
class Engine {
public:
    Engine(Model& model, Schedule schedule)
        : model_(model),
          schedule_(std::move(schedule)),
          barrier_(schedule_.workers()),
          exchange_(schedule_.processes()) {
        for (int i = 0; i < schedule_.workers(); ++i)
            workers_.push_back(std::make_unique<Worker>(schedule_, i));
        next_[0].resize(workers_.size());
        next_[1].resize(workers_.size());
        errors_.resize(workers_.size());
    }

    /// Runs until no events are left. Throws the exception of a model, or Interrupted.
    void run(const Progress& progress) {
        progress_ = &progress;
        std::vector<std::jthread> threads;
        start_workers(threads);
        work(*workers_[0]);
        threads.clear();
        for (const auto& error : errors_) {
            if (error) std::rethrow_exception(error);
        }
        if (interrupted_) throw Interrupted("simulation interrupted");
    }

    [[nodiscard]] std::int64_t windows() const noexcept { return windows_; }
    [[nodiscard]] std::int64_t events() const noexcept {
        std::int64_t sum = 0;
        for (const auto& worker : workers_) sum += worker->events_handled();
        return sum;
    }

private:
    using Clock = std::chrono::steady_clock;

    void work(Worker& worker) {
        bool stop = !attempt(worker, [&] { model_.seed(worker); });
        std::int64_t window = -1;
        for (int parity = 0; agree(worker, next_[parity], stop, window); parity ^= 1) {
            stop = exchange_.failed || !attempt(worker, [&] {
                       worker.begin_window(window);
                       worker.run_window(workers_, model_);
                   });
            if (worker.index() == 0 && !attempt(worker, [&] { stop |= !report(worker); }))
                stop = true;
        }
    }

    /// Tells all workers the next window. Returns false if there is none or one of them wants to
    /// stop. `next` alternates between two arrays, so that a fast worker cannot overwrite an entry
    /// that a slow one still reads.
    [[nodiscard]] bool agree(Worker& worker, std::vector<std::int64_t>& next, bool stop,
                             std::int64_t& window) {
        next[std::size_t(worker.index())] = stop ? stopped : worker.next_window();
        if (schedule_.group != nullptr) worker.fill_parcels();
        barrier_.arrive_and_wait();
        std::int64_t earliest = *std::ranges::min_element(next);
        if (schedule_.group != nullptr) earliest = agree_with_others(worker, earliest);
        if (earliest == stopped || earliest == EventQueue::never) return false;
        if (earliest - window >= EventQueue::ring_size) {
            worker.advance(earliest);
            barrier_.arrive_and_wait();
        }
        window = earliest;
        return true;
    }

    /// Agrees with the other processes, whose first workers exchange the parcels. Returns the
    /// earliest window of all.
    [[nodiscard]] std::int64_t agree_with_others(Worker& worker, std::int64_t earliest) {
        if (worker.index() == 0) {
            exchange_.earliest = stopped;
            exchange_.failed = !attempt(worker, [&] { exchange(worker, earliest); });
        }
        barrier_.arrive_and_wait();
        return exchange_.earliest;
    }

    void exchange(Worker& worker, std::int64_t earliest) {
        for (int other = 0; other < schedule_.processes(); ++other) {
            ByteArray& out = exchange_.out[std::size_t(other)];
            out.clear();
            for (const auto& own : workers_) write_parcel(out, own->parcel(other));
        }
        schedule_.group->exchange(earliest, exchange_.out, exchange_.numbers, exchange_.in);
        exchange_.earliest = *std::ranges::min_element(exchange_.numbers);
        for (const ByteArray& in : exchange_.in) {
            for (ByteReader reader(in); !reader.is_at_end();) take_parcel(worker, reader);
        }
    }
    static void write_parcel(ByteArray& out, Parcel& parcel) {
        if (parcel.payload.empty() && parcel.events.empty()) return;
        write(out, parcel.payload);
        write(out, parcel.events);
        parcel.payload.clear();
        parcel.events.clear();
    }
    /// Takes the payload before the events, which may refer to it.
    void take_parcel(Worker& worker, ByteReader& reader) {
        const auto payload = reader.bytes(reader.next<std::size_t>());
        if constexpr (requires { model_.receive(worker, payload); })
            model_.receive(worker, payload);
        const auto count = reader.next<std::size_t>();
        for (std::size_t i = 0; i < count; ++i) worker.schedule(reader.next<Event>());
    }

    template <class Function>
    [[nodiscard]] bool attempt(Worker& worker, const Function& function) noexcept {
        try {
            function();
            return true;
        } catch (...) {
            errors_[std::size_t(worker.index())] = std::current_exception();
            return false;
        }
    }

    /// Starts all workers but the first. None begins before all are there, as each waits for the
    /// others. Throws Error if the system refuses a thread.
    void start_workers(std::vector<std::jthread>& threads) {
        constexpr int all_are_there = 1;
        constexpr int one_is_missing = 2;
        start_ = 0;
        const auto release = [&](int state) {
            start_ = state;
            start_.notify_all();
        };
        try {
            for (int i = 1; i < schedule_.workers(); ++i) {
                threads.emplace_back([this, i] {
                    start_.wait(0);
                    if (start_ == all_are_there) work(*workers_[std::size_t(i)]);
                });
            }
        } catch (const std::exception& error) {
            release(one_is_missing);
            throw Error(text("thread ", threads.size() + 2, " of ", schedule_.workers(),
                             " cannot be started: ", error.what(),
                             "; use fewer threads, or allow more memory and processes"));
        }
        release(all_are_there);
    }

    /// Reports progress from the first worker. Returns false if the caller wants to stop.
    [[nodiscard]] bool report(Worker& worker) {
        ++windows_;
        if ((windows_ & (schedule_.windows_per_look - 1)) != 0 || !*progress_) return true;
        const auto time = Clock::now();
        if (time - reported_ < std::chrono::milliseconds(100)) return true;
        reported_ = time;
        interrupted_ = !(*progress_)(worker.window_end());
        return !interrupted_;
    }

    static constexpr std::int64_t stopped = -2;

    /// The exchange of parcels with other processes. The first worker writes it while the rest
    /// wait.
    struct ParcelExchange {
        explicit ParcelExchange(int processes)
            : out(std::size_t(processes)), in(out.size()), numbers(out.size()) {}
        std::vector<ByteArray> out;
        std::vector<ByteArray> in;
        std::vector<std::int64_t> numbers;
        std::int64_t earliest = stopped;
        /// A parcel could not be taken: this process stops, and says so at the next exchange.
        bool failed = false;
    };

    Model& model_;
    Schedule schedule_;
    SpinBarrier barrier_;
    ParcelExchange exchange_;
    std::vector<std::unique_ptr<Worker>> workers_;
    std::vector<std::int64_t> next_[2];
    std::vector<std::exception_ptr> errors_;
    bool interrupted_ = false;
    const Progress* progress_ = nullptr;
    /// Zero while workers wait for each other at the start.
    std::atomic<int> start_ = 0;
    Clock::time_point reported_ = Clock::now();
    std::int64_t windows_ = 0;
};

}  // namespace tradewind::sim
