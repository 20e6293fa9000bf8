/// The combination of blocks into messages in a Bruck alltoallv, and the exchange of their sizes.
#include "tradewind/comm/alltoallv/bruck/forwarding.hpp"

#include <algorithm>
#include <numeric>

namespace tradewind {

namespace {

template <class T>
Buffer bytes_of(std::vector<T>& values) {
    return Buffer(std::span<T>(values));
}

Rank count_blocks(BruckStep step, Rank ranks) {
    const Rank period = step.radix * step.weight;
    const Rank rest = ranks % period - step.distance();
    return ranks / period * step.weight + std::clamp<Rank>(rest, 0, step.weight);
}

}  // namespace

BruckPayload::BruckPayload(const Comm& comm, BruckHops hops, const Alltoallv& data)
    : comm_(comm), hops_(hops), held_(static_cast<std::size_t>(hops.ranks)) {
    for (Rank i = 1; i < hops.ranks; ++i) {
        const Rank to = hops.forth(comm.rank(), i);
        const Bytes size = data.blocks->send_size(to);
        if (data.send.is_null() && size > 0) {
            throw ConfigError(text("alltoallv bruck: rank ", comm.rank(),
                                   " has a receive buffer, but none to send from"));
        }
        held_[std::size_t(i)] = data.send.part(data.blocks->send_offset(to), size);
    }
}

void BruckPayload::gather_sizes(BruckStep step, Exchange& exchange) const {
    for_each_block(step, Rank(held_.size()), [&](Rank base, Rank low) {
        exchange.sizes_out.push_back(held_[std::size_t(base + low)].size());
    });
}

ConstBuffer BruckPayload::pack(BruckStep step, Exchange& exchange) const {
    Bytes size = 0;
    const auto visit = [&](const auto& use) {
        for_each_block(step, Rank(held_.size()),
                       [&](Rank base, Rank low) { use(held_[std::size_t(base + low)]); });
    };
    visit([&](ConstBuffer block) { size += block.size(); });
    exchange.out = Workspace(comm_, size);
    const Buffer message = exchange.out.buffer();
    Bytes offset = 0;
    visit([&](ConstBuffer block) {
        copy(block, message.part(offset, block.size()));
        offset += block.size();
    });
    return message;
}

Buffer BruckPayload::make_room(Exchange& exchange) const {
    const Bytes size = std::reduce(exchange.sizes_in.begin(), exchange.sizes_in.end());
    exchange.in = Workspace(comm_, size);
    return exchange.in.buffer();
}

void BruckPayload::accept(Rank radix, Rank weight) {
    for (std::size_t e = 0; e < exchanges_.size(); ++e) {
        Exchange& exchange = exchanges_[e];
        const std::byte* message = exchange.in.data();
        auto size = exchange.sizes_in.begin();
        for_each_block({radix, weight, Rank(e) + 1}, Rank(held_.size()), [&](Rank base, Rank low) {
            held_[std::size_t(base + low)] = {message, *size};
            message += *size++;
        });
        arrived_.push_back(std::move(exchange.in));
    }
    exchanges_.clear();
}

void BruckPayload::deliver(const Alltoallv& data) const {
    for (Rank i = 1; i < hops_.ranks; ++i) {
        const Rank from = hops_.back(comm_.rank(), i);
        const ConstBuffer block = held_[std::size_t(i)];
        if (block.size() != data.blocks->receive_size(from)) {
            throw ConfigError(text("alltoallv bruck: rank ", from, " sends ", block.size(),
                                   " bytes to rank ", comm_.rank(), ", which expects ",
                                   data.blocks->receive_size(from)));
        }
        copy(block, data.receive.part(data.blocks->receive_offset(from), block.size()));
    }
}

BruckForwarding::BruckForwarding(Comm& comm, const Alltoallv& data, BruckHops hops, Rank radix)
    : comm_(comm),
      data_(data),
      hops_(hops),
      radix_(radix),
      sizes_known_(data.blocks->between(comm.rank(), after(comm.rank(), 1, comm.size())) !=
                   Blocks::unknown) {
    if (!data.send.is_null() || !data.receive.is_null()) {
        payload_ = std::make_unique<BruckPayload>(comm, hops, data);
    } else if (!sizes_known_ && comm.size() > 1) {
        throw ConfigError(
            "alltoallv bruck: without data all ranks must know the size of every block; those of a "
            "recorded alltoallv are known to sender and receiver alone");
    }
}

bool BruckForwarding::next_round() {
    if (round_ == Round::blocks) {
        if (payload_) payload_->accept(radix_, weight_);
        weight_ *= radix_;
    }
    round_ = sizes_known_ || round_ == Round::sizes ? Round::blocks : Round::sizes;
    if (weight_ < comm_.size()) return true;
    deliver();
    return false;
}

void BruckForwarding::deliver() const {
    if (payload_) payload_->deliver(data_);
    if (!comm_.times_local_work()) return;
    const Rank ranks = comm_.size();
    const Bytes size = data_.blocks->everywhere();
    Bytes sum = size == Blocks::unknown ? 0 : (ranks - 1) * size;
    for (Rank i = 1; i < ranks && size == Blocks::unknown; ++i)
        sum += data_.blocks->receive_size(hops_.back(comm_.rank(), i));
    comm_.charge({sum, ranks - 1, 0});
}

Rank BruckForwarding::messages() const noexcept {
    return std::min(radix_ - 1, (comm_.size() - 1) / weight_);
}

MessagePair BruckForwarding::message(Rank digit) {
    const BruckStep step{radix_, weight_, digit};
    if (!payload_) {
        const Bytes in = message_size(step, hops_.back(comm_.rank(), step.distance()));
        const ConstBuffer out(message_size(step, comm_.rank()));
        comm_.charge({out.size(), count_blocks(step, comm_.size()), 0});
        return pair(step, out, Buffer(in));
    }
    if (sizes_known_ || round_ == Round::sizes) payload_->exchanges().emplace_back();
    return round_ == Round::sizes ? sizes(step) : blocks(step);
}

MessagePair BruckForwarding::pair(BruckStep step, ConstBuffer out, Buffer in) const {
    const Rank r = comm_.rank();
    return {hops_.forth(r, step.distance()), out, hops_.back(r, step.distance()), in,
            shifts_first(r, step.distance())};
}

MessagePair BruckForwarding::sizes(BruckStep step) {
    auto& exchange = payload_->exchanges()[std::size_t(step.digit - 1)];
    payload_->gather_sizes(step, exchange);
    exchange.sizes_in.resize(exchange.sizes_out.size());
    return pair(step, bytes_of(exchange.sizes_out), bytes_of(exchange.sizes_in));
}

MessagePair BruckForwarding::blocks(BruckStep step) {
    auto& exchange = payload_->exchanges()[std::size_t(step.digit - 1)];
    if (sizes_known_) learn_sizes(step, exchange);
    const ConstBuffer out = payload_->pack(step, exchange);
    comm_.charge({out.size(), count_blocks(step, comm_.size()), 0});
    return pair(step, out, payload_->make_room(exchange));
}

Bytes BruckForwarding::message_size(BruckStep step, Rank holder) const {
    const Rank ranks = comm_.size();
    if (const Bytes size = data_.blocks->everywhere(); size != Blocks::unknown) {
        return size * count_blocks(step, ranks);
    }
    Bytes sum = 0;
    for_each_block(step, ranks, [&](Rank base, Rank low) {
        sum += data_.blocks->between(hops_.back(holder, low), hops_.forth(holder, base));
    });
    return sum;
}

void BruckForwarding::learn_sizes(BruckStep step, BruckPayload::Exchange& exchange) const {
    const Rank holder = hops_.back(comm_.rank(), step.distance());
    for_each_block(step, comm_.size(), [&](Rank base, Rank low) {
        exchange.sizes_in.push_back(
            data_.blocks->between(hops_.back(holder, low), hops_.forth(holder, base)));
    });
}

Task forward_blocks(Comm& comm, Alltoallv data, BruckHops hops, Options options) {
    require_at_least(2, options.radix, "alltoallv bruck_k");
    GroupedExchange exchange(comm, options.delivery("alltoallv bruck_k"), tags::alltoallv);
    copy_own_block(comm, data);
    BruckForwarding forwarding(comm, data, hops, options.radix);
    const auto message = [&forwarding](Rank i) { return forwarding.message(i + 1); };
    while (forwarding.next_round()) {
        co_await exchange.one_by_one(forwarding.messages(), message);
    }
}

}  // namespace tradewind
