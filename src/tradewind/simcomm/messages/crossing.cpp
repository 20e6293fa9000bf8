/// Copies of messages, as bytes in the parcels between processes.
#include "tradewind/simcomm/messages/crossing.hpp"

#include <memory>
#include <numeric>

#include "tradewind/simcomm/messages/message_kind.hpp"

namespace tradewind::simcomm {

namespace {

enum class Item : std::uint8_t { message, free_number, counts };

}  // namespace

Crossing::Crossing(const sim::Schedule& schedule, const Placement& placement,
                   std::uint32_t nics_per_switch, sim::MessagePool& messages, Ordering* ordering)
    : schedule_(schedule),
      placement_(placement),
      nics_per_switch_(nics_per_switch),
      messages_(messages),
      ordering_(ordering),
      process_(schedule.process()),
      workers_(schedule.workers()),
      told_(std::size_t(schedule.processes())) {}

void Crossing::depart(sim::Worker& worker, sim::MessageId id) {
    sim::Message& message = messages_[id];
    ByteArray& out = worker.parcel(process_of(message.destination_nic)).cargo;
    const bool carries = message.payload && !is_control(kind_of(message));
    write(out, Item::message);
    write(out, id);
    write(out, static_cast<const sim::MessageFields&>(message));
    write(out, carries);
    if (!carries) return;
    write_bytes(out, message.payload.get(), std::size_t(message.size));
    message.payload.reset();
}

void Crossing::arrive(ByteReader& in) {
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

void Crossing::give_back(sim::Worker& worker, sim::MessageId id) {
    ByteArray& out = worker.parcel(messages_.owner(id)).cargo;
    write(out, Item::free_number);
    write(out, id);
    messages_[id] = sim::Message{};
}

/// Gives the number back to the list from which it came, that of its source's worker.
void Crossing::reuse(sim::MessageId id) {
    const sim::Message& message = messages_[id];
    const std::uint32_t from = placement_.nic(Rank(message.source_rank));
    const std::uint32_t to = placement_.nic(Rank(message.destination_rank));
    const int worker = schedule_.owner(from / nics_per_switch_) - process_ * workers_;
    messages_.give(worker + workers_ * process_of(to), id);
}

void Crossing::tell(sim::Worker& worker, const Counts& counts) const {
    ByteArray& out = worker.parcel(0).cargo;
    write(out, Item::counts);
    write(out, process_);
    write(out, counts);
}

Crossing::Counts Crossing::others() const noexcept {
    return std::accumulate(told_.begin(), told_.end(), Counts{}, [](Counts sum, const Counts& one) {
        return Counts{sum.finished + one.finished, sum.work + one.work};
    });
}

void Crossing::receive(sim::Worker& /*worker*/, std::span<const std::byte> cargo) {
    for (ByteReader in(cargo); !in.is_at_end();) {
        switch (in.next<Item>()) {
            case Item::message:
                arrive(in);
                break;
            case Item::free_number:
                reuse(in.next<sim::MessageId>());
                break;
            case Item::counts: {
                const auto process = std::size_t(in.next<int>());
                in.read(told_[process]);
                break;
            }
        }
    }
}

}  // namespace tradewind::simcomm
