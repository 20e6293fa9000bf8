/// Packs records, moves them, and adds or copies them to their targets.
///
///     send buffer       | to rank a | to rank c |
///     receive buffer    | from a    | from c    | of the rank itself |
///
/// Records of the rank itself are packed directly into the receive buffer, so that an addition does
/// not depend on where its operand comes from.
#include "tradewind/comm/mesh/mesh_exchange.hpp"

#include <cstring>

#include "tradewind/base/errors.hpp"
#include "tradewind/comm/catalogue.hpp"
#include "tradewind/comm/mesh/mesh_lists.hpp"
#include "tradewind/comm/neighbor/neighbor.hpp"

namespace tradewind {

namespace {

constexpr Bytes number = sizeof(double);

/// Copies numbers; four, the block of the cores, by one move.
inline void copy(const double* from, double* to, std::int64_t count) {
    constexpr std::int64_t usual = 4;
    if (count == usual) {
        std::memcpy(to, from, usual * sizeof(double));
    } else {
        std::memcpy(to, from, std::size_t(count) * sizeof(double));
    }
}

/// Calls visit(values, record, count) for each piece of adjacent layers of the points that `loop`
/// goes through, as loop(each(point, record)). The layout of the field is decided once.
template <typename Loop, typename Visit>
inline void visit_layers(const MeshField& field, const Loop& loop, const Visit& visit) {
    double* const values = field.values;
    const std::int64_t stride = field.point_stride;
    const std::int64_t layers = field.layers;
    if (field.block > 0) {
        const std::int64_t length = field.block;
        const std::int64_t next = field.block_stride;
        loop([=](std::int64_t point, auto* record) {
            double* block = values + point * stride;
            std::int64_t k = 0;
            for (; k + length <= layers; k += length, block += next)
                visit(block, record + k, length);
            if (k < layers) visit(block, record + k, layers - k);
        });
    } else if (field.layer_stride == 1) {
        loop([=](std::int64_t point, auto* record) {
            visit(values + point * stride, record, layers);
        });
    } else {
        const std::int64_t next = field.layer_stride;
        loop([=](std::int64_t point, auto* record) {
            for (std::int64_t k = 0; k < layers; ++k)
                visit(values + point * stride + k * next, record + k, 1);
        });
    }
}

/// The points of consecutive records. One field after the other goes through all of them, so that
/// its memory is read in order.
struct RecordRange {
    std::span<const std::int32_t> points;
    /// The numbers of a record.
    std::int64_t length;

    template <typename Record, typename Visit>
    [[gnu::noinline]] void visit(std::span<const MeshField> fields, Record* records,
                                 const Visit& visit) const {
        const std::int32_t* const begin = points.data();
        const std::int32_t* const end = begin + points.size();
        for (const MeshField& field : fields) {
            const auto loop = [begin, end, records, step = length](const auto& each) {
                Record* record = records;
                for (const std::int32_t* point = begin; point != end; ++point, record += step)
                    each(*point, record);
            };
            visit_layers(field, loop, visit);
            records += field.layers;
        }
    }
};

constexpr auto take = [](const double* values, double* record, std::int64_t count) {
    copy(values, record, count);
};
constexpr auto put = [](double* values, const double* record, std::int64_t count) {
    copy(record, values, count);
};
constexpr auto add = [](double* values, const double* record, std::int64_t count) {
    for (std::int64_t k = 0; k < count; ++k) values[k] += record[k];
};

/// Returns the number of pieces of memory that a point of all fields consists of. The blocks of a
/// field count as one: each fills a vector register, so that a copy of them costs no more.
[[nodiscard]] std::int64_t pieces_of(std::span<const MeshField> fields) {
    std::int64_t pieces = 0;
    for (const MeshField& field : fields)
        pieces += field.block > 0 || field.layer_stride == 1 ? 1 : field.layers;
    return pieces;
}

}  // namespace

void check_mesh_options(const MeshExchangeOptions& options) {
    if (options.tag < 0 || options.tag > 31)
        throw ConfigError(text("mesh exchange: tag ", options.tag, " is not in 0..31"));
    if (options.algorithm.empty()) {
        require_default(options.options.protocol, "mesh exchange without algorithm");
        return;
    }
    const NeighborAlgorithm& algorithm = neighbor_algorithm(options.algorithm);
    if (options.schedule == MeshSchedule::in_order) {
        throw ConfigError(
            text("mesh exchange: the schedule in_order starts each message itself, by isend and "
                 "receive; algorithm = \"",
                 options.algorithm, "\" needs another"));
    }
    if (!algorithm.has_protocols)
        require_default(options.options.protocol, text("mesh exchange by ", algorithm.name));
    if (options.schedule == MeshSchedule::on_arrival && !algorithm.is_persistent) {
        throw ConfigError(
            text("mesh exchange: the schedule on_arrival starts each message itself, by isend or "
                 "algorithm = \"persistent\"; algorithm = \"",
                 options.algorithm, "\" needs the synchronous one"));
    }
}

bool overlaps_work(const MeshExchangeOptions& options) {
    return options.schedule == MeshSchedule::on_arrival ||
           (!options.algorithm.empty() && neighbor_algorithm(options.algorithm).begins_early);
}

/// Lists, buffers and requests of one rank.
class MeshBuffers {
public:
    MeshBuffers(Comm& comm, const MeshPart& part, std::int64_t layers, MeshExchangeOptions options,
                bool has_data)
        : lists_(comm, part, has_data),
          options_(std::move(options)),
          layers_(layers),
          has_data_(has_data),
          requests_(lists_.sources.size()),
          sends_(lists_.destinations.size()) {
        if (has_data) {
            send_buffer_.resize(std::size_t(lists_.own_sends.first * layers));
            receive_buffer_.resize(
                std::size_t((lists_.own_receives.first + lists_.own_receives.count) * layers));
        }
        for (const MeshPartner& to : lists_.destinations)
            neighbors_.destinations.push_back({to.rank, bytes_of(to.count), bytes_of(to.first)});
        for (const MeshPartner& from : lists_.sources)
            neighbors_.sources.push_back({from.rank, bytes_of(from.count), bytes_of(from.first)});
        if (options_.algorithm.empty()) return;
        const NeighborAlgorithm& algorithm = neighbor_algorithm(options_.algorithm);
        if (algorithm.is_persistent) {
            prepare_messages(comm);
            return;
        }
        algorithm_ = &algorithm;
        if (algorithm.prepare != nullptr) connection_ = algorithm.prepare(comm, exchange_data());
    }

    [[nodiscard]] const Neighborhood& neighbors() const noexcept { return neighbors_; }
    [[nodiscard]] NeighborConnection* connection() const noexcept { return connection_.get(); }
    [[nodiscard]] bool is_synchronous() const noexcept {
        return options_.schedule == MeshSchedule::synchronous;
    }
    [[nodiscard]] bool is_in_order() const noexcept {
        return options_.schedule == MeshSchedule::in_order;
    }
    [[nodiscard]] bool adds_on_arrival() const noexcept {
        return !is_synchronous() && options_.order == MeshOrder::arrival;
    }
    [[nodiscard]] std::vector<Request>& requests() noexcept { return requests_; }
    [[nodiscard]] std::vector<Request>& sends() noexcept { return sends_; }
    [[nodiscard]] std::span<const MeshPartner> destinations() const { return lists_.destinations; }

    void check(const Comm& comm, std::span<const MeshField> fields) const {
        std::int64_t layers = 0;
        for (const MeshField& field : fields) layers += field.layers;
        if (layers != layers_) {
            throw ConfigError(text("mesh exchange: rank ", comm.rank(), " was prepared for ",
                                   layers_, " layers of all fields, not for ", layers));
        }
    }

    /// Starts receiving from all sources.
    void start_receives(Comm& comm) {
        if (messages_ != nullptr) {
            messages_->start(0, requests_);
            return;
        }
        for (std::size_t n = 0; n < requests_.size(); ++n) start_receive(comm, n);
    }
    void start_receive(Comm& comm, std::size_t n) {
        const Neighbor& from = neighbors_.sources[n];
        requests_[n] = comm.irecv(from.rank, receive_memory().part(from.offset, from.size),
                                  tags::mesh + options_.tag);
    }
    void start_send(Comm& comm, std::size_t n) {
        if (messages_ != nullptr) {
            messages_->start(requests_.size() + n, std::span(sends_).subspan(n, 1));
            return;
        }
        const Neighbor& to = neighbors_.destinations[n];
        sends_[n] =
            comm.isend(to.rank, send_memory().part(to.offset, to.size), tags::mesh + options_.tag);
    }
    /// Starts all receives and sends.
    void start_all(Comm& comm) {
        start_receives(comm);
        for (std::size_t n = 0; n < sends_.size(); ++n) start_send(comm, n);
    }
    /// Carries all messages by an algorithm of the neighbourhood exchange.
    [[nodiscard]] Task run_algorithm(Comm& comm) {
        return algorithm_->run(comm, exchange_data(), options_.options);
    }
    /// Starts the algorithm as far as it goes without the rank.
    void begin_algorithm(Comm& comm) {
        if (connection_ != nullptr) connection_->begin(comm, exchange_data());
    }
    [[nodiscard]] bool has_algorithm() const noexcept { return algorithm_ != nullptr; }

    void pack(Comm& comm, std::span<const MeshField> from, const MeshPartner& partner) {
        pack_records(comm, from, partner, send_buffer_.data() + partner.first * layers_);
    }
    void pack_own(Comm& comm, std::span<const MeshField> from) {
        pack_records(comm, from, lists_.own_sends,
                     receive_buffer_.data() + lists_.own_receives.first * layers_);
    }
    void pack_all(Comm& comm, std::span<const MeshField> from) {
        for (const MeshPartner& to : lists_.destinations) pack(comm, from, to);
        pack_own(comm, from);
    }
    void unpack_own(Comm& comm, std::span<const MeshField> into) {
        unpack_records(comm, into, lists_.own_receives);
    }
    void unpack_source(Comm& comm, std::span<const MeshField> into, std::size_t n) {
        unpack_records(comm, into, lists_.sources[n]);
    }
    /// Handles all records that have arrived: additions in fixed order, or copies.
    void unpack_all(Comm& comm, std::span<const MeshField> into) {
        const MeshPartner all{0, 0, lists_.own_receives.first + lists_.own_receives.count};
        if (options_.combination == MeshCombination::copy) {
            unpack_records(comm, into, all);
            return;
        }
        comm.charge({0, 0, bytes_of(all.count)});
        if (!has_data_) return;
        const double* first = receive_buffer_.data();
        for (const MeshField& field : into) {
            const auto loop = [this, first](const auto& each) {
                for (const MeshContribution& one : lists_.ordered)
                    each(one.target, first + one.record * layers_);
            };
            visit_layers(field, loop, add);
            first += field.layers;
        }
    }
    [[nodiscard]] bool is_sum() const noexcept {
        return options_.combination == MeshCombination::sum;
    }

private:
    [[nodiscard]] NeighborExchange exchange_data() {
        return {send_memory(), receive_memory(), &neighbors_, connection_.get()};
    }
    /// Prepares the receives from all sources, then the sends to all destinations.
    void prepare_messages(Comm& comm) {
        FixedMessages messages;
        for (const Neighbor& from : neighbors_.sources) {
            messages.push_back(
                FixedMessage::receive(from.rank, receive_memory().part(from.offset, from.size)));
        }
        for (const Neighbor& to : neighbors_.destinations)
            messages.push_back(FixedMessage::send(to.rank, send_memory().part(to.offset, to.size)));
        messages_ = comm.prepare(messages, tags::mesh + options_.tag);
    }
    [[nodiscard]] Bytes bytes_of(std::int64_t records) const noexcept {
        return records * layers_ * number;
    }
    [[nodiscard]] Buffer send_memory() {
        return has_data_ ? Buffer(std::span(send_buffer_))
                         : Buffer(bytes_of(lists_.own_sends.first));
    }
    [[nodiscard]] Buffer receive_memory() {
        return has_data_ ? Buffer(std::span(receive_buffer_))
                         : Buffer(bytes_of(lists_.own_receives.first + lists_.own_receives.count));
    }
    void pack_records(Comm& comm, std::span<const MeshField> from, const MeshPartner& partner,
                      double* record) {
        comm.charge({bytes_of(partner.count), partner.count * pieces_of(from), 0});
        if (!has_data_) return;
        records_of(lists_.send_points, partner).visit(from, record, take);
    }
    void unpack_records(Comm& comm, std::span<const MeshField> into, const MeshPartner& partner) {
        if (is_sum()) {
            comm.charge({0, 0, bytes_of(partner.count)});
        } else {
            comm.charge({bytes_of(partner.count), partner.count * pieces_of(into), 0});
        }
        if (!has_data_) return;
        const double* const record = receive_buffer_.data() + partner.first * layers_;
        const RecordRange records = records_of(lists_.receive_points, partner);
        if (is_sum()) {
            records.visit(into, record, add);
        } else {
            records.visit(into, record, put);
        }
    }
    [[nodiscard]] RecordRange records_of(const std::vector<std::int32_t>& points,
                                         const MeshPartner& partner) const {
        const auto first = std::size_t(partner.first);
        return {std::span(points).subspan(first, std::size_t(partner.count)), layers_};
    }

    MeshLists lists_;
    MeshExchangeOptions options_;
    std::int64_t layers_;
    bool has_data_;
    Neighborhood neighbors_;
    const NeighborAlgorithm* algorithm_ = nullptr;
    std::vector<double> send_buffer_;
    std::vector<double> receive_buffer_;
    std::unique_ptr<NeighborConnection> connection_;
    /// The persistent messages of the schedules of this class, if they are to be persistent.
    std::unique_ptr<PersistentMessages> messages_;
    std::vector<Request> requests_;
    std::vector<Request> sends_;
};

MeshExchange::MeshExchange(Comm& comm, const MeshPart& part, std::int64_t layers,
                           MeshExchangeOptions options, bool has_data) {
    check_mesh_options(options);
    if (layers < 1) {
        throw ConfigError(
            text("mesh exchange: rank ", comm.rank(), ": layers = ", layers, " is less than 1"));
    }
    buffers_ = std::make_unique<MeshBuffers>(comm, part, layers, std::move(options), has_data);
}
MeshExchange::MeshExchange(MeshExchange&&) noexcept = default;
MeshExchange& MeshExchange::operator=(MeshExchange&&) noexcept = default;
MeshExchange::~MeshExchange() = default;

const Neighborhood& MeshExchange::neighbors() const noexcept {
    return buffers_->neighbors();
}

Task MeshExchange::connect(Comm& comm) {
    if (buffers_->connection() != nullptr) co_await buffers_->connection()->connect(comm);
}

Task MeshExchange::send(Comm& comm, std::span<const MeshField> from) {
    MeshBuffers& buffers = *buffers_;
    buffers.check(comm, from);
    co_await comm.wait_all(buffers.sends());
    if (!buffers.is_synchronous() && !buffers.is_in_order()) buffers.start_receives(comm);
    for (std::size_t n = 0; n < buffers.destinations().size(); ++n) {
        buffers.pack(comm, from, buffers.destinations()[n]);
        if (!buffers.is_synchronous()) buffers.start_send(comm, n);
    }
    if (!buffers.is_synchronous()) co_return;
    buffers.begin_algorithm(comm);
    buffers.pack_own(comm, from);
}

Task MeshExchange::receive(Comm& comm, std::span<const MeshField> from,
                           std::span<const MeshField> into) {
    MeshBuffers& buffers = *buffers_;
    buffers.check(comm, into);
    if (buffers.is_synchronous()) {
        if (buffers.has_algorithm()) {
            co_await buffers.run_algorithm(comm);
        } else {
            buffers.start_all(comm);
            co_await comm.wait_all(buffers.requests());
            co_await comm.wait_all(buffers.sends());
        }
        buffers.unpack_all(comm, into);
        co_return;
    }
    buffers.pack_own(comm, from);
    const bool unpacks_at_end = !buffers.adds_on_arrival() && buffers.is_sum();
    if (buffers.is_in_order()) {
        for (std::size_t n = 0; n < buffers.requests().size(); ++n) {
            buffers.start_receive(comm, n);
            co_await comm.wait(buffers.requests()[n]);
            if (!unpacks_at_end) buffers.unpack_source(comm, into, n);
        }
    } else if (unpacks_at_end) {
        co_await comm.wait_all(buffers.requests());
    }
    if (unpacks_at_end) {
        buffers.unpack_all(comm, into);
        co_return;
    }
    buffers.unpack_own(comm, into);
    if (buffers.is_in_order()) co_return;
    for (std::size_t left = buffers.requests().size(); left > 0; --left) {
        const std::int64_t arrived = co_await comm.wait_any(buffers.requests());
        buffers.unpack_source(comm, into, std::size_t(arrived));
    }
}

Task MeshExchange::exchange(Comm& comm, std::span<const MeshField> fields) {
    MeshBuffers& buffers = *buffers_;
    if (!buffers.is_synchronous() || buffers.has_algorithm()) {
        co_await send(comm, fields);
        co_await receive(comm, fields, fields);
        co_return;
    }
    // The same in one coroutine, for short messages.
    buffers.check(comm, fields);
    co_await comm.wait_all(buffers.sends());
    buffers.pack_all(comm, fields);
    buffers.start_all(comm);
    co_await comm.wait_all(buffers.requests());
    co_await comm.wait_all(buffers.sends());
    buffers.unpack_all(comm, fields);
}

Task MeshExchange::finish(Comm& comm) {
    co_await comm.wait_all(buffers_->sends());
}

}  // namespace tradewind
