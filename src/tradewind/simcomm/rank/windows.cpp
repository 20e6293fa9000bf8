/// Puts into the windows of a simulated rank.
#include "tradewind/simcomm/rank/windows.hpp"

#include <algorithm>

#include "tradewind/base/errors.hpp"

namespace tradewind::simcomm {

Window Windows::expose(const RankContext& rank, Buffer memory, std::int32_t signals,
                       Picoseconds now) {
    windows_.push_back({memory, PagedArray<Signal>(std::size_t(std::max(signals, 0)))});
    const Window window{std::int32_t(windows_.size()) - 1};
    sim::MessagePool& messages = rank.messaging().messages();
    const auto early = [&](const sim::Message& message) {
        return message.context == std::uint32_t(window.id);
    };
    for (auto id = take_first(early_puts_, messages, early); id != sim::no_message;
         id = take_first(early_puts_, messages, early)) {
        take_put(rank, id, std::max(now, messages[id].arrival));
    }
    return window;
}

Buffer Windows::allocate(Bytes size, bool has_data) {
    if (!has_data || size <= 0) return Buffer(size);
    own_memory_.push_back(std::make_unique_for_overwrite<std::byte[]>(std::size_t(size)));
    return Buffer(own_memory_.back().get(), size);
}

const Signal* Windows::take_put(const RankContext& rank, sim::MessageId id, Picoseconds time) {
    Messaging& messaging = rank.messaging();
    sim::Message& message = messaging.messages()[id];
    if (message.context >= windows_.size()) {
        message.arrival = time;
        append(early_puts_, messaging.messages(), id);
        return nullptr;
    }
    Exposed& window = windows_[message.context];
    if (message.offset < 0 || message.offset + message.size > window.memory.size() ||
        message.signal >= window.signals.size()) {
        throw Error(text("put from rank ", message.source_rank, ": bytes ", message.offset, "..",
                         message.offset + message.size, ", signal ", message.signal,
                         " do not fit the window of rank ", rank.rank, " (", window.memory.size(),
                         " bytes, ", window.signals.size(), " signals)"));
    }
    if (!window.memory.is_null()) copy_payload(message, window.memory.data() + message.offset);
    Signal& signal = window.signals[message.signal];
    ++signal.count;
    signal.last = std::max(signal.last, time);
    if (CriticalPath* const path = rank.path(); path != nullptr) [[unlikely]]
        path->raise(message, id, message.signal);
    messaging.give(*rank.worker, id);
    return &signal;
}

const Signal* Windows::signal(std::size_t window, std::size_t number) {
    if (window >= windows_.size() || number >= windows_[window].signals.size()) return nullptr;
    return &windows_[window].signals[number];
}

}  // namespace tradewind::simcomm
