/// Which blocks a Bruck alltoallv combines into which message, and what both ends know about the
/// sizes.
#include "tradewind/comm/alltoallv/bruck_forwarding.hpp"

#include <numeric>

#include "tradewind/comm/alltoallv/pieces.hpp"

namespace tradewind {

namespace {

template <class T>
Buffer bytes_of(std::vector<T>& values) {
    return Buffer(std::span<T>(values));
}

Rank count_blocks(BruckStep step, Rank ranks) {
    Rank count = 0;
    for (Rank base = step.distance(); base < ranks; base += step.radix * step.weight) {
        count += ranks - base < step.weight ? ranks - base : step.weight;
    }
    return count;
}

}  // namespace

BruckPayload::BruckPayload(Rank rank, Rank ranks, const Alltoallv& data)
    : rank_(rank), held_(static_cast<std::size_t>(ranks)) {
    for (Rank i = 1; i < ranks; ++i) {
        const Rank to = after(rank, i, ranks);
        const Bytes size = data.blocks->send_size(to);
        if (data.send.is_null() && size > 0) {
            throw ConfigError(text("alltoallv bruck: rank ", rank,
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

void BruckPayload::pack(BruckStep step, Exchange& exchange) const {
    for_each_block(step, Rank(held_.size()), [&](Rank base, Rank low) {
        const ConstBuffer block = held_[std::size_t(base + low)];
        if (block.size() > 0)
            exchange.out.insert(exchange.out.end(), block.data(), block.data() + block.size());
    });
}

void BruckPayload::accept(Rank radix, Rank weight) {
    for (std::size_t e = 0; e < exchanges_.size(); ++e) {
        Exchange& exchange = exchanges_[e];
        const Buffer message = bytes_of(exchange.in);
        Bytes offset = 0;
        auto size = exchange.sizes_in.begin();
        for_each_block({radix, weight, Rank(e) + 1}, Rank(held_.size()), [&](Rank base, Rank low) {
            held_[std::size_t(base + low)] = message.part(offset, *size);
            offset += *size++;
        });
        arrived_.push_back(std::move(exchange.in));
    }
    exchanges_.clear();
}

void BruckPayload::deliver(const Alltoallv& data) const {
    const Rank ranks = Rank(held_.size());
    for (Rank i = 1; i < ranks; ++i) {
        const Rank from = before(rank_, i, ranks);
        const ConstBuffer block = held_[std::size_t(i)];
        if (block.size() != data.blocks->receive_size(from)) {
            throw ConfigError(text("alltoallv bruck: rank ", from, " sends ", block.size(),
                                   " bytes to rank ", rank_, ", which expects ",
                                   data.blocks->receive_size(from)));
        }
        copy(block, data.receive.part(data.blocks->receive_offset(from), block.size()));
    }
}

BruckForwarding::BruckForwarding(Comm& comm, const Alltoallv& data, Rank radix)
    : comm_(comm),
      data_(data),
      radix_(radix),
      sizes_known_(data.blocks->between(comm.rank(), after(comm.rank(), 1, comm.size())) !=
                   Blocks::unknown),
      round_(sizes_known_ ? Round::blocks : Round::sizes) {
    if (!data.send.is_null() || !data.receive.is_null()) {
        payload_ = std::make_unique<BruckPayload>(comm.rank(), comm.size(), data);
    } else if (!sizes_known_ && comm.size() > 1) {
        throw ConfigError(
            "alltoallv bruck: without data the size of every block must be known to all ranks "
            "(Blocks::between)");
    }
}

bool BruckForwarding::start_next(std::vector<Request>& requests) {
    const bool phase_ends = round_ == Round::blocks && !requests.empty();
    if (phase_ends) {
        if (payload_) payload_->accept(radix_, weight_);
        weight_ *= radix_;
        if (!sizes_known_) round_ = Round::sizes;
    } else if (!requests.empty()) {
        round_ = Round::blocks;
    }
    requests.clear();
    if (weight_ >= comm_.size()) {
        if (payload_) payload_->deliver(data_);
        return false;
    }
    for (Rank digit = 1; digit < radix_ && digit * weight_ < comm_.size(); ++digit) {
        start({radix_, weight_, digit}, requests);
    }
    return true;
}

void BruckForwarding::start(BruckStep step, std::vector<Request>& requests) {
    if (!payload_) return start_null_blocks(step, requests);
    if (sizes_known_ || round_ == Round::sizes) payload_->exchanges().emplace_back();
    if (round_ == Round::sizes) return start_sizes(step, requests);
    start_blocks(step, requests);
}

void BruckForwarding::start_sizes(BruckStep step, std::vector<Request>& requests) {
    auto& exchange = payload_->exchanges()[std::size_t(step.digit - 1)];
    payload_->gather_sizes(step, exchange);
    exchange.sizes_in.resize(exchange.sizes_out.size());
    requests.push_back(comm_.irecv(before(comm_.rank(), step.distance(), comm_.size()),
                                   bytes_of(exchange.sizes_in), tags::alltoallv));
    requests.push_back(comm_.isend(after(comm_.rank(), step.distance(), comm_.size()),
                                   bytes_of(exchange.sizes_out), tags::alltoallv));
}

void BruckForwarding::start_blocks(BruckStep step, std::vector<Request>& requests) {
    auto& exchange = payload_->exchanges()[std::size_t(step.digit - 1)];
    if (sizes_known_) learn_sizes(step, exchange);
    payload_->pack(step, exchange);
    exchange.in.resize(
        std::size_t(std::reduce(exchange.sizes_in.begin(), exchange.sizes_in.end())));
    const Rank from = before(comm_.rank(), step.distance(), comm_.size());
    const Rank to = after(comm_.rank(), step.distance(), comm_.size());
    const bool receives = !exchange.in.empty();
    requests.push_back(receives ? comm_.irecv(from, bytes_of(exchange.in), tags::alltoallv)
                                : Request{});
    const bool sends = !exchange.out.empty();
    requests.push_back(sends ? comm_.isend(to, bytes_of(exchange.out), tags::alltoallv)
                             : Request{});
}

void BruckForwarding::start_null_blocks(BruckStep step, std::vector<Request>& requests) {
    const Rank from = before(comm_.rank(), step.distance(), comm_.size());
    const Rank to = after(comm_.rank(), step.distance(), comm_.size());
    const Bytes in = message_size(step, from);
    const Bytes out = message_size(step, comm_.rank());
    requests.push_back(in > 0 ? comm_.irecv(from, Buffer(in), tags::alltoallv) : Request{});
    requests.push_back(out > 0 ? comm_.isend(to, ConstBuffer(out), tags::alltoallv) : Request{});
}

Bytes BruckForwarding::message_size(BruckStep step, Rank holder) const {
    const Rank ranks = comm_.size();
    if (const Bytes size = data_.blocks->everywhere(); size != Blocks::unknown) {
        return size * count_blocks(step, ranks);
    }
    Bytes sum = 0;
    for_each_block(step, ranks, [&](Rank base, Rank low) {
        sum += data_.blocks->between(before(holder, low, ranks), after(holder, base, ranks));
    });
    return sum;
}

void BruckForwarding::learn_sizes(BruckStep step, BruckPayload::Exchange& exchange) const {
    const Rank ranks = comm_.size();
    const Rank holder = before(comm_.rank(), step.distance(), ranks);
    for_each_block(step, ranks, [&](Rank base, Rank low) {
        exchange.sizes_in.push_back(
            data_.blocks->between(before(holder, low, ranks), after(holder, base, ranks)));
    });
}

}  // namespace tradewind
