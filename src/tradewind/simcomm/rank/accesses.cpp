/// Accesses, locks and notices at their target.
#include "tradewind/simcomm/rank/accesses.hpp"

#include <algorithm>

namespace tradewind::simcomm {

void Accesses::take(const RankContext& rank, sim::MessageId id, Picoseconds time) {
    Messaging& messaging = rank.messaging();
    switch (kind_of(messaging.messages()[id])) {
        case MessageKind::accumulate:
            return take_sum(rank, id, time);
        case MessageKind::read_request:
            return send_back(messaging, *rank.worker, id, MessageKind::read_data, time);
        case MessageKind::lock_request:
            return take_lock_request(rank, id, time);
        case MessageKind::unlock:
            return take_unlock(rank, id, time);
        default:
            return send_back(messaging, *rank.worker, id, MessageKind::acknowledgement, time);
    }
}

void Accesses::take_sum(const RankContext& rank, sim::MessageId id, Picoseconds time) {
    Messaging& messaging = rank.messaging();
    const sim::Message& message = messaging.messages()[id];
    const LocalCosts& costs = messaging.costs().local;
    sums_over_ = std::max(sums_over_, time);
    if (costs.are_known) sums_over_ += costs.time({0, 0, message.size});
    if (CriticalPath* const path = rank.path(); path != nullptr) [[unlikely]]
        path->delay(message, id, PathKind::local_work, sums_over_);
    send_back(messaging, *rank.worker, id, MessageKind::acknowledgement, sums_over_);
}

void Accesses::take_lock_request(const RankContext& rank, sim::MessageId id, Picoseconds time) {
    Messaging& messaging = rank.messaging();
    sim::Message& message = messaging.messages()[id];
    Lock& lock = locks_[message.context];
    if (!lock.queue.empty() || !lock.is_free_for(message)) {
        message.arrival = time;
        lock.queue.push_back(id);
        return;
    }
    lock.grant(message);
    send_back(messaging, *rank.worker, id, MessageKind::lock_grant, time);
}

void Accesses::take_unlock(const RankContext& rank, sim::MessageId id, Picoseconds time) {
    Messaging& messaging = rank.messaging();
    const sim::Message& message = messaging.messages()[id];
    Lock& lock = locks_[message.context];
    if (message.tag != 0) {
        lock.is_exclusive = false;
    } else {
        --lock.shared;
    }
    while (!lock.queue.empty()) {
        const sim::MessageId next = lock.queue.front();
        const sim::Message& request = messaging.messages()[next];
        if (!lock.is_free_for(request)) break;
        lock.queue.pop_front();
        lock.grant(request);
        if (CriticalPath* const path = rank.path(); path != nullptr) [[unlikely]]
            path->hold(next, id, request.arrival);
        send_back(messaging, *rank.worker, next, MessageKind::lock_grant, time);
    }
    messaging.give(*rank.worker, id);
}

const Signal& Accesses::take_notice(const RankContext& rank, sim::MessageId id, Picoseconds time) {
    Messaging& messaging = rank.messaging();
    const sim::Message& message = messaging.messages()[id];
    Signal& signal = notices_[{kind_of(message), {message.context, message.source_rank}}];
    ++signal.count;
    signal.last = std::max(signal.last, time);
    if (CriticalPath* const path = rank.path(); path != nullptr) [[unlikely]]
        path->raise(message, id, message.source_rank);
    messaging.give(*rank.worker, id);
    return signal;
}

}  // namespace tradewind::simcomm
