/// Copies of messages, as bytes in the parcels between processes.
#include "tradewind/simcomm/messages/remote_messages.hpp"

#include <memory>
#include <numeric>

#include "tradewind/simcomm/messages/message_kind.hpp"

namespace tradewind::simcomm {

namespace {

enum class Item : std::uint8_t { message, free_number, counts };

}  // namespace

RemoteMessages::RemoteMessages(const sim::Schedule& schedule, const Placement& placement,
                               std::uint32_t nics_per_switch, sim::MessagePool& messages,
                               Ordering* ordering)
    : schedule_(schedule),
      placement_(placement),
      nics_per_switch_(nics_per_switch),
      messages_(messages),
      ordering_(ordering),
      process_(schedule.process()),
      workers_(schedule.workers()),
      reported_(std::size_t(schedule.processes())) {}

void RemoteMessages::depart(sim::Worker& worker, sim::MessageId id) {
    sim::Message& message = messages_[id];
    ByteArray& out = worker.parcel(process_of(message.destination_nic)).payload;
    const bool carries = message.payload && !is_control(kind_of(message));
    write(out, Item::message);
    write(out, id);
    write(out, static_cast<const sim::MessageFields&>(message));
    write(out, carries);
    if (!carries) return;
    write_bytes(out, message.payload.get(), std::size_t(message.size));
    message.payload.reset();
}

void RemoteMessages::arrive(ByteReader& in) {
    const auto id = in.next<sim::MessageId>();
    sim::Message& message = is_foreign(id) ? messages_.copy(id) : messages_[id];
    in.read(static_cast<sim::MessageFields&>(message));
    message.next = sim::no_message;
    if (in.next<bool>()) {
        const auto size = std::size_t(message.size);
        message.payload = std::make_unique_for_overwrite<std::byte[]>(size);
        std::memcpy(message.payload.get(), in.bytes(size).data(), size);
    }
    if (ordering_ != nullptr && is_matched(kind_of(message))) ordering_->announce(message.ticket);
}

void RemoteMessages::give_back(sim::Worker& worker, sim::MessageId id) {
    ByteArray& out = worker.parcel(messages_.owner(id)).payload;
    write(out, Item::free_number);
    write(out, id);
    messages_[id] = sim::Message{};
}

/// Gives the number back to the list from which it came, that of its source's worker.
void RemoteMessages::reuse(sim::MessageId id) {
    const sim::Message& message = messages_[id];
    const std::uint32_t from = placement_.nic(Rank(message.source_rank));
    const std::uint32_t to = placement_.nic(Rank(message.destination_rank));
    const int worker = schedule_.owner(from / nics_per_switch_) - process_ * workers_;
    messages_.give(worker + workers_ * process_of(to), id);
}

void RemoteMessages::report(sim::Worker& worker, const Counts& counts) const {
    ByteArray& out = worker.parcel(0).payload;
    write(out, Item::counts);
    write(out, process_);
    write(out, counts);
}

RemoteMessages::Counts RemoteMessages::others() const noexcept {
    return std::accumulate(reported_.begin(), reported_.end(), Counts{},
                           [](Counts sum, const Counts& one) {
                               return Counts{sum.finished + one.finished, sum.work + one.work};
                           });
}

void RemoteMessages::receive(sim::Worker& /*worker*/, std::span<const std::byte> payload) {
    for (ByteReader in(payload); !in.is_at_end();) {
        switch (in.next<Item>()) {
            case Item::message:
                arrive(in);
                break;
            case Item::free_number:
                reuse(in.next<sim::MessageId>());
                break;
            case Item::counts: {
                const auto process = std::size_t(in.next<int>());
                in.read(reported_[process]);
                break;
            }
        }
    }
}

}  // namespace tradewind::simcomm
