/// RemoteMessages: messages between ranks of different processes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tradewind/sim/network/network.hpp"
#include "tradewind/simcomm/messages/ordering.hpp"
#include "tradewind/simcomm/placement.hpp"

namespace tradewind::simcomm {

/// The exchange of messages with other processes. A message has one number everywhere. Its record
/// is kept by the source's process and copied to the destination's when its first packet leaves: it
/// comes there in the same exchange as that packet, or in an earlier one. Processes on the way see
/// nothing but the number.
///
///     source's process                          destination's process
///     first packet leaves: copy       -->       under the same number
///     (rendezvous: the answer's copy  <--       goes back, and that of the data comes again)
///     the number is free again        <--       matched, and its data taken
class RemoteMessages {
public:
    /// Makes the exchange of one process; `ordering` may be null.
    RemoteMessages(const sim::Schedule& schedule, const Placement& placement,
                   std::uint32_t nics_per_switch, sim::MessagePool& messages, Ordering* ordering);

    /// Returns the free list for a message from a worker to an interface.
    [[nodiscard]] int list(const sim::Worker& worker, std::uint32_t to) const noexcept {
        return worker.index() + workers_ * process_of(to);
    }
    /// Returns true for the copy of a message that another process keeps.
    [[nodiscard]] bool is_foreign(sim::MessageId id) const noexcept {
        return messages_.owner(id) != process_;
    }
    /// Copies a message to the process of its destination. Its data go with it, once.
    void depart(sim::Worker& worker, sim::MessageId id);
    /// Tells the source that the destination has done with a copy: it may use the number again.
    void give_back(sim::Worker& worker, sim::MessageId id);
    /// Frees the number of a message, on the worker of its source.
    void reuse(sim::MessageId id);
    /// Takes the bytes that another process has sent by the functions above and below.
    void receive(sim::Worker& worker, std::span<const std::byte> payload);

    struct Counts {
        std::int64_t finished = 0;
        std::int64_t work = 0;
    };
    /// Reports to the first process how far this one is.
    void report(sim::Worker& worker, const Counts& counts) const;
    /// Returns the sums of the latest reports of other processes, on the first one.
    [[nodiscard]] Counts others() const noexcept;

private:
    [[nodiscard]] int process_of(std::uint32_t nic) const noexcept {
        return schedule_.process_of(nic / nics_per_switch_);
    }
    void arrive(ByteReader& in);

    const sim::Schedule& schedule_;
    const Placement& placement_;
    std::uint32_t nics_per_switch_;
    sim::MessagePool& messages_;
    Ordering* ordering_;
    int process_;
    int workers_;
    /// The latest report of each process, on the first one.
    std::vector<Counts> reported_;
};

}  // namespace tradewind::simcomm
