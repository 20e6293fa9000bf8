/// MeshExchange: the exchange of values between the parts of a mesh, any number of fields and
/// layers in one message per neighbour.
///
/// A mesh consists of items (elements, cells) with numbered points. Two items share points; each
/// sends the values of some of its own points and takes the other's values into some of its own.
///
///     rank 0                    rank 1
///     . . . a | b . . .         sum:  both hold a + b (direct stiffness summation)
///     item 3    item 4          copy: item 3 holds b beside a, item 4 holds a beside b (traces)
///
/// A rank sends one message to every rank with which its items share points: a record of all fields
/// and layers for every point. Values that items of one rank share pass through a buffer of the
/// rank, so that every sum has the same operands wherever its items are.
/// Sources: jamroz2016, Algorithms 1 to 3 and section 5.2.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tradewind/comm/comm.hpp"
#include "tradewind/comm/neighbor/neighbor.hpp"
#include "tradewind/comm/options.hpp"

namespace tradewind {

/// The points that an item shares with one of its neighbours, as the item sees them.
struct ItemShare {
    /// The neighbour, and the number of this share among the neighbour's shares.
    std::int64_t item = 0;
    std::int32_t share = 0;
    /// Points of the item that are sent, and those that take what the neighbour sends, both in the
    /// order on which the two items agree.
    std::vector<std::int32_t> sends;
    std::vector<std::int32_t> receives;
};

/// The items of one rank and all that its exchange needs to know about their neighbours.
struct MeshPart {
    /// The items of the rank; the i-th has the points i * points_per_item to
    /// (i + 1) * points_per_item - 1 of fields.
    std::vector<std::int64_t> items;
    std::int32_t points_per_item = 1;
    /// The points of an item in the fields that take what arrives; 0: points_per_item, as sums need
    /// it.
    std::int32_t receiving_points_per_item = 0;
    /// True if each share sends as many points as it receives, as in a mesh whose items share
    /// edges and corners. A rank whose neighbours hold copies of its cells has other numbers.
    bool shares_are_even = true;
    /// Returns the rank that owns an item.
    std::function<Rank(std::int64_t item)> owner;
    /// Returns the shares of an item; sums add contributions in this order.
    std::function<std::vector<ItemShare>(std::int64_t item)> shares;

    [[nodiscard]] std::int32_t receiving_points() const noexcept {
        return receiving_points_per_item > 0 ? receiving_points_per_item : points_per_item;
    }
};

/// A field on the points of a rank's items. Null values stand for a skeleton's data.
struct MeshField {
    double* values = nullptr;
    std::int64_t point_stride = 1;
    std::int64_t layers = 1;
    std::int64_t layer_stride = 1;
    /// Layers that are adjacent, block_stride before the next ones; 0: all are layer_stride apart.
    std::int64_t block = 0;
    std::int64_t block_stride = 0;
};

/// The combination of the values that arrive with those of the receiving field.
enum class MeshCombination : std::uint8_t { sum, copy };

/// The time at which messages are packed and unpacked.
///
///     synchronous   pack all, start all messages, wait for all, unpack all
///     on_arrival    pack and send one message after the other, handle the rank's own shares while
///                   they travel, unpack each as it arrives
///     in_order      pack and send one message after the other, then receive and unpack likewise, by
///                   rank; a send may still be under way when the exchange is over, and is
///                   completed by the next one or by finish (pang2025, section 3.2)
enum class MeshSchedule : std::uint8_t { synchronous, on_arrival, in_order };

/// The order in which sums add contributions: that of each item's shares, which gives the same bits
/// on any number of ranks, or that in which messages arrive.
enum class MeshOrder : std::uint8_t { fixed, arrival };

struct MeshExchangeOptions {
    MeshCombination combination = MeshCombination::sum;
    MeshSchedule schedule = MeshSchedule::synchronous;
    MeshOrder order = MeshOrder::fixed;
    /// The algorithm of comm/neighbor that carries the messages, or a native collective of an MPI
    /// library; empty: isend and irecv. With on_arrival only the latter and "persistent" are
    /// possible, with in_order only the latter.
    std::string algorithm;
    Options options;
    /// The tag of its messages; exchanges that are under way at once need different ones.
    Tag tag = 0;
};

/// Throws ConfigError if an option is not known or contradicts another one.
void check_mesh_options(const MeshExchangeOptions& options);
/// Reports whether messages travel during work between send and receive.
[[nodiscard]] bool overlaps_work(const MeshExchangeOptions& options);

/// An exchange that a rank repeats with fields of the same layers.
class MeshBuffers;

class MeshExchange {
public:
    /// Prepares lists and buffers for records of `layers` values, all fields together. Buffers are
    /// null unless `has_data`. Throws ConfigError if shares do not fit each other, where the rank
    /// can see it, or options contradict each other.
    MeshExchange(Comm& comm, const MeshPart& part, std::int64_t layers, MeshExchangeOptions options,
                 bool has_data);
    MeshExchange(MeshExchange&&) noexcept;
    MeshExchange& operator=(MeshExchange&&) noexcept;
    ~MeshExchange();

    /// Makes the preparations of one-sided algorithms; all ranks call it once.
    Task connect(Comm& comm);

    /// Packs and sends. With the synchronous schedule it only packs; of the algorithms only
    /// "native_nonblocking" starts here. In order it starts the sends.
    Task send(Comm& comm, std::span<const MeshField> from);
    /// Receives and combines with `into`, which has the layers of what was sent. For a sum it is
    /// the same fields, and `from` must not have changed since. All work between send and receive
    /// overlaps with the messages.
    Task receive(Comm& comm, std::span<const MeshField> from, std::span<const MeshField> into);
    /// Sends and receives the same fields.
    Task exchange(Comm& comm, std::span<const MeshField> fields);
    /// Waits until the buffers of all sends are free; all ranks call it after the last exchange.
    Task finish(Comm& comm);

    /// The neighbours of the rank with the bytes of their messages.
    [[nodiscard]] const Neighborhood& neighbors() const noexcept;

private:
    std::unique_ptr<MeshBuffers> buffers_;
};

}  // namespace tradewind
