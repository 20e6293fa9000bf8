/// StartedAllreduce: an allreduce that goes on while its rank computes.
///
///     StartedAllreduce sum(comm, vector, radix);    posts the first stage
///     ... compute ...
///     co_await advance(comm, sum);                  posts further stages that have become possible
///     ... compute ...
///     co_await finish(comm, sum);                   waits for the rest
///
/// The stages are those of recursive_k, with the same bits as `allreduce_recursive_k`. Nothing
/// moves on by itself, as with an MPI library without a progress thread: a stage starts when the
/// rank looks after it. Beside it the rank may send and receive whatever it likes, except another
/// allreduce.
#pragma once

#include "tradewind/comm/allreduce/recursive_k.hpp"

namespace tradewind {

class StartedAllreduce {
public:
    /// The caller keeps the vector's data alive and untouched until the end. Throws ConfigError
    /// unless radix >= 2.
    StartedAllreduce(Comm& comm, const Allreduce& vector, std::int64_t radix);

    [[nodiscard]] bool is_finished() const noexcept { return weight_ > plan_.core(); }

private:
    friend Task advance(Comm& comm, StartedAllreduce& sum);
    friend Task finish(Comm& comm, StartedAllreduce& sum);

    /// Combines the stage whose messages have all arrived, and starts the next one.
    void next(Comm& comm);
    /// Where there are no extra ranks, the first stage with messages starts at once.
    void skip_empty_stages(Comm& comm);
    [[nodiscard]] bool has_open_requests() const noexcept;

    Allreduce vector_;
    RecursiveK plan_;
    Slots slots_;
    Rank weight_ = 0;
    std::vector<Request> requests_;
};

/// Goes as far as is possible without waiting.
Task advance(Comm& comm, StartedAllreduce& sum);
/// Waits until every rank's vector is in the result.
Task finish(Comm& comm, StartedAllreduce& sum);

}  // namespace tradewind
