/// StartedAllreduce: an allreduce that progresses while its rank computes.
///
///     StartedAllreduce sum(comm, vector, radix);    posts the first stage
///     ... compute ...
///     co_await advance(comm, sum);                  posts further stages that have become possible
///     ... compute ...
///     co_await finish(comm, sum);                   waits for the rest
///
/// The stages are those of recursive_k, with the same bits as `allreduce_recursive_k`. There is no
/// independent progress, as in an MPI library without a progress thread: a stage starts when the
/// rank calls `advance` or `finish`. Meanwhile the rank may make any communication except another
/// allreduce.
#pragma once

#include "tradewind/comm/allreduce/recursive_k.hpp"

namespace tradewind {

class StartedAllreduce {
public:
    /// Posts the first stage. The caller keeps the vector's data alive and untouched until the end.
    /// Throws ConfigError unless radix >= 2.
    StartedAllreduce(Comm& comm, const Allreduce& vector, std::int64_t radix);

    StartedAllreduce(const StartedAllreduce&) = delete;
    StartedAllreduce& operator=(const StartedAllreduce&) = delete;

    [[nodiscard]] bool is_finished() const noexcept { return stage_.is_over(); }

private:
    friend Task advance(Comm& comm, StartedAllreduce& sum);
    friend Task finish(Comm& comm, StartedAllreduce& sum);

    void post_stage(Comm& comm);
    /// Combines the vectors of the stage whose messages have all arrived, and starts the next
    /// stage.
    void next(Comm& comm);
    [[nodiscard]] bool has_open_requests() const noexcept;

    Allreduce vector_;
    RecursiveK stage_;
    std::vector<Request> requests_;
};

/// Advances the allreduce as far as is possible without waiting.
Task advance(Comm& comm, StartedAllreduce& sum);
/// Waits until the result contains every rank's vector.
Task finish(Comm& comm, StartedAllreduce& sum);

}  // namespace tradewind
