/// Crossing: messages between ranks of different processes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tradewind/sim/network/network.hpp"
#include "tradewind/simcomm/messages/ordering.hpp"
#include "tradewind/simcomm/placement.hpp"

namespace tradewind::simcomm {

/// A message has one number everywhere. Its record is kept by the source's process and copied to
/// the destination's when its first packet leaves: it comes there in the same meeting as that
/// packet, or in an earlier one. Processes on the way see nothing but the number.
///
///     source's process                          destination's process
///     first packet leaves: copy       -->       under the same number
///     (rendezvous: the answer's copy  <--       goes back, and that of the data comes again)
///     the number is free again        <--       matched, and its data taken
class Crossing {
public:
    /// `ordering` may be null.
    Crossing(const sim::Schedule& schedule, const Placement& placement,
             std::uint32_t nics_per_switch, sim::MessagePool& messages, Ordering* ordering);

    /// The free list for a message from a worker to an interface.
    [[nodiscard]] int list(const sim::Worker& worker, std::uint32_t to) const noexcept {
        return worker.index() + workers_ * process_of(to);
    }
    /// True for the copy of a message that another process keeps.
    [[nodiscard]] bool is_foreign(sim::MessageId id) const noexcept {
        return messages_.owner(id) != process_;
    }
    /// Copies a message to the process of its destination; its data go with it, once.
    void depart(sim::Worker& worker, sim::MessageId id);
    /// The destination has done with a copy: its source may use the number again.
    void give_back(sim::Worker& worker, sim::MessageId id);
    /// Takes what another process has sent by the functions above and below.
    void receive(sim::Worker& worker, std::span<const std::byte> cargo);

    struct Counts {
        std::int64_t finished = 0;
        std::int64_t work = 0;
    };
    /// Tells the first process how far this one is; there, `others` has the sums of what was told.
    void tell(sim::Worker& worker, const Counts& counts) const;
    [[nodiscard]] Counts others() const noexcept;

private:
    [[nodiscard]] int process_of(std::uint32_t nic) const noexcept {
        return schedule_.process_of(nic / nics_per_switch_);
    }
    void arrive(ByteReader& in);
    void reuse(sim::MessageId id);

    const sim::Schedule& schedule_;
    const Placement& placement_;
    std::uint32_t nics_per_switch_;
    sim::MessagePool& messages_;
    Ordering* ordering_;
    int process_;
    int workers_;
    /// On the first process, by process.
    std::vector<Counts> told_;
};

}  // namespace tradewind::simcomm
