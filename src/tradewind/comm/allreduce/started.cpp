/// The progress of a started allreduce from stage to stage.
#include "tradewind/comm/allreduce/started.hpp"

#include <algorithm>

namespace tradewind {

namespace {

[[nodiscard]] const Allreduce& checked(const Allreduce& vector, std::int64_t radix) {
    require_at_least(2, radix, "started allreduce");
    require_whole_elements(vector, "started allreduce");
    return vector;
}

}  // namespace

StartedAllreduce::StartedAllreduce(Comm& comm, const Allreduce& vector, std::int64_t radix)
    : vector_(checked(vector, radix)), stage_(comm, vector_, radix) {
    if (!is_finished()) post_stage(comm);
}

void StartedAllreduce::post_stage(Comm& comm) {
    post(comm, stage_.exchanges(), stage_, RecursiveK::tag, RecursiveK::empty, requests_);
}

void StartedAllreduce::next(Comm& comm) {
    stage_.finish(comm);
    stage_.next();
    requests_.clear();
    if (!is_finished()) post_stage(comm);
}

bool StartedAllreduce::has_open_requests() const noexcept {
    return std::ranges::any_of(requests_, [](Request request) { return !request.is_null(); });
}

Task advance(Comm& comm, StartedAllreduce& sum) {
    while (!sum.is_finished()) {
        while (sum.has_open_requests()) {
            const std::int64_t done = co_await comm.test_any(sum.requests_);
            if (done < 0) co_return;
        }
        sum.next(comm);
    }
}

Task finish(Comm& comm, StartedAllreduce& sum) {
    while (!sum.is_finished()) {
        co_await comm.wait_all(sum.requests_);
        sum.next(comm);
    }
}

}  // namespace tradewind
