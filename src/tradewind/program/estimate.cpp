/// Counts the messages of a program by running it, rank by rank, without a network.
#include "tradewind/program/estimate.hpp"

#include <algorithm>
#include <utility>

#include "tradewind/base/errors.hpp"
#include "tradewind/base/interrupts.hpp"
#include "tradewind/base/random.hpp"
#include "tradewind/comm/simulated_calls.hpp"

namespace tradewind {

namespace {

constexpr std::int64_t most_calls = 4'000'000;
/// Calls of one rank; they take some seconds.
constexpr std::int64_t most_calls_of_rank = 5'000'000;

/// Ends the program of a rank that makes too many calls.
struct Enough {};

/// Every wait is over at once; a send is under way until it is waited for.
class CountingComm final : public Comm, private SimulatedCalls {
public:
    CountingComm(Rank rank, Rank size, CoroutineContext& coroutines) noexcept
        : Comm(rank, size, coroutines) {}

    [[nodiscard]] Picoseconds now() const noexcept override { return 0; }
    [[nodiscard]] Window expose(Buffer /*memory*/, std::int32_t /*signals*/) override {
        return {windows_++};
    }
    [[nodiscard]] OwnWindow allocate(Bytes size, bool /*has_data*/, std::int32_t signals) override {
        return {expose(Buffer(size), signals), Buffer(size)};
    }
    [[nodiscard]] const Estimate& counted() const noexcept { return counted_; }
    /// Sends, receives and waits so far: what the run took, also where no message was sent.
    [[nodiscard]] std::int64_t calls() const noexcept { return calls_; }
    /// Without messages, phases alone show that a program goes on and on.
    void begin_phase(const char* /*name*/) override { end_at(++phases_); }
    [[nodiscard]] SimulatedCalls* simulated() noexcept override { return this; }

private:
    static void end_at(std::int64_t count) {
        check_interrupts(8);
        if (count > most_calls_of_rank) throw Enough();
    }
    Request count(Bytes bytes) {
        counted_ += {1.0, double(bytes), ++under_way_};
        return accept(sending);
    }
    Request accept(std::uint32_t kind) {
        end_at(++calls_);
        return Request{kind};
    }
    void complete(Request& request) noexcept {
        if (request.id == sending) --under_way_;
        request = {};
    }
    Request start_send(Rank, ConstBuffer data, Envelope, SendMode) override {
        return count(data.size());
    }
    Request start_receive(Rank, Buffer, Envelope) override { return accept(receiving); }
    Request start_put(Rank, Window, Bytes, ConstBuffer data, std::int32_t) override {
        return count(data.size());
    }

    RequestPair access(AccessKind /*kind*/, Rank /*peer*/, Bytes bytes,
                       bool /*returns_buffer*/) override {
        return {count(bytes), {}};
    }
    void notify(Rank /*to*/, NoticeKind /*kind*/, std::uint32_t /*window*/) override {}
    Request lock(Rank /*at*/, std::uint32_t /*window*/, bool /*is_exclusive*/) override {
        return accept(receiving);
    }
    void unlock(Rank /*at*/, std::uint32_t /*window*/, bool /*is_exclusive*/) override {}
    Request run_beside(const Program& program) override {
        Task task = program(*this);
        task.start();
        if (!task.done()) throw Error(text("counting messages: rank ", rank(), " did not finish"));
        task.rethrow();
        return {};
    }

    bool begin_wait(Waiting& waiting) override {
        end_at(++calls_);
        const std::span<Request> requests(waiting.requests,
                                          has_requests(waiting) ? std::size_t(waiting.count) : 0);
        if (waiting.what_for == Waiting::For::all) {
            for (Request& request : requests) complete(request);
        } else if (has_requests(waiting)) {
            waiting.index = first_active(requests);
            if (waiting.index >= 0) complete(requests[std::size_t(waiting.index)]);
        }
        return true;
    }
    void suspend(std::coroutine_handle<> /*leaf*/) noexcept override {}
    /// Returns the index of a request that is not null, the one that was found last or one behind
    /// it if possible: a search from the beginning would make a window of n requests cost n^2.
    /// Returns -1 if there is none.
    [[nodiscard]] std::int32_t first_active(std::span<const Request> requests) {
        const std::size_t begin = last_found_ < requests.size() ? last_found_ : 0;
        for (const auto& [from, to] : {std::pair{begin, requests.size()}, std::pair{0UL, begin}}) {
            for (std::size_t i = from; i < to; ++i) {
                check_interrupts();
                if (requests[i].is_null()) continue;
                last_found_ = i;
                return std::int32_t(i);
            }
        }
        return -1;
    }

    [[nodiscard]] static bool has_requests(const Waiting& waiting) noexcept {
        return waiting.what_for == Waiting::For::all || waiting.what_for == Waiting::For::any ||
               waiting.what_for == Waiting::For::test;
    }

    static constexpr std::uint32_t receiving = Request::null + 1;
    static constexpr std::uint32_t sending = receiving + 1;

    Estimate counted_;
    /// Sends that nothing has waited for yet.
    double under_way_ = 0.0;
    std::int64_t calls_ = 0;
    std::int64_t phases_ = 0;
    std::int32_t windows_ = 0;
    std::size_t last_found_ = 0;
};

struct Counted {
    Estimate estimate;
    std::int64_t calls;
};

Counted count_rank(Rank rank, Rank ranks, const Program& program, CoroutineContext& coroutines) {
    CountingComm comm(rank, ranks, coroutines);
    coroutines.skipped = 0;
    Task task = program(comm);
    task.start();
    if (!task.done()) throw Error(text("counting messages: rank ", rank, " did not finish"));
    try {
        task.rethrow();
    } catch (const Enough&) {
        // What was counted until here is the least that there is.
    }
    return {comm.counted(), comm.calls() + coroutines.skipped};
}

}  // namespace

Estimate count_messages(Rank ranks, const Program& program, Rank most_ranks) {
    CoroutineContext coroutines;
    const std::int64_t calls =
        std::max<std::int64_t>(count_rank(0, ranks, program, coroutines).calls, 1);
    const Rank samples = std::clamp(most_calls / calls, Rank{1}, std::min(ranks, most_ranks));
    Estimate sum;
    for (Rank i = 0; i < samples; ++i) {
        // One of each of `samples` equal ranges: evenly spaced ranks would be the busy ones of a
        // tree.
        const Rank begin = i * ranks / samples;
        const Rank length = (i + 1) * ranks / samples - begin;
        const Rank rank = begin + Rank(mix(std::uint64_t(i)) % std::uint64_t(length));
        sum += count_rank(rank, ranks, program, coroutines).estimate;
    }
    return double(ranks) / double(samples) * sum;
}

}  // namespace tradewind
