/// SubTags: the mapping of the envelopes of sub-communicators to tags of one MPI communicator.
#pragma once

#include <array>
#include <cstdint>

#include "tradewind/base/random.hpp"
#include "tradewind/comm/types.hpp"
#include "tradewind/mpi/check.hpp"

namespace tradewind::mpi {

/// A hash of context and tag of an envelope. A sub-communicator of Comm is made without a message,
/// so it cannot have an MPI communicator, whose creation is a collective call, even of the members
/// alone. Its context and tag are mapped to a tag on a communicator kept for this purpose instead.
/// With the 2^28 and more tags of current libraries, two of a hundred envelopes in use collide with
/// a probability of 2e-5. Collisions among the last envelopes that a rank has used are detected:
/// they throw MpiError instead of delivering a message to the wrong receive.
class SubTags {
public:
    explicit SubTags(int largest) noexcept : count_(std::uint64_t(largest) + 1) {}

    [[nodiscard]] int operator()(Envelope envelope) {
        const auto tag =
            static_cast<int>(mix(envelope.context, std::uint32_t(envelope.tag)) % count_);
        Entry& entry = recent_[std::size_t(tag) % recent_.size()];
        if (entry.tag != tag) {
            entry = {tag, envelope};
        } else if (entry.envelope != envelope) {
            throw MpiError(text("two sub-communicators use the same MPI tag ", tag, ": contexts ",
                                entry.envelope.context, " and ", envelope.context, ", tags ",
                                entry.envelope.tag, " and ", envelope.tag,
                                "; use other tags or make the communicators in another order"));
        }
        return tag;
    }

private:
    struct Entry {
        int tag = -1;
        Envelope envelope;
    };
    std::uint64_t count_;
    std::array<Entry, 512> recent_;
};

}  // namespace tradewind::mpi
