/// The places of columns in the halo, and the two exchanges.
#include "tradewind/comm/halo/column_halo.hpp"

#include <algorithm>
#include <limits>

#include "tradewind/base/interrupts.hpp"

namespace tradewind {

namespace {

constexpr Tag columns_tag = 32011;
constexpr Tag request_tag = 32012;
constexpr Tag gather_tag = 32013;
constexpr std::int64_t map_bits = 8;

using Piece = ColumnHalo::Piece;
using Pieces = std::span<const Piece>;

/// The messages of one direction of an exchange, contiguous in memory; only their sizes if there
/// are no data.
template <class T>
class MessageArray {
public:
    /// Allocates the messages; size(n) returns the number of elements of message n.
    MessageArray(Pieces pieces, bool is_real, const auto& size, T value = {}) : starts_(1, 0) {
        for (std::size_t n = 0; n < pieces.size(); ++n) starts_.push_back(starts_.back() + size(n));
        if (is_real) memory_.assign(std::size_t(starts_.back()), value);
    }
    [[nodiscard]] T* at(std::size_t n) noexcept {
        return memory_.empty() ? nullptr : memory_.data() + starts_[n];
    }
    /// Returns the number of elements of all messages.
    [[nodiscard]] std::int64_t total() const noexcept { return starts_.back(); }
    [[nodiscard]] Buffer buffer(std::size_t n) noexcept {
        const Bytes bytes = (starts_[n + 1] - starts_[n]) * Bytes(sizeof(T));
        return {reinterpret_cast<std::byte*>(at(n)), bytes};
    }

private:
    std::vector<std::int64_t> starts_;
    std::vector<T> memory_;
};

using Values = MessageArray<double>;
using Maps = MessageArray<std::uint8_t>;

/// Calls visit(column) for each column of the piece in order; a column is a place in the halo or
/// the number of an own column.
void for_each_column(const Piece& piece, const auto& visit) {
    for (const auto& stretch : piece.stretches) {
        for (std::int64_t n = 0; n < stretch.count; ++n) {
            check_interrupts();
            visit(stretch.start + n);
        }
    }
}

[[nodiscard]] bool is_marked(const std::uint8_t* map, std::int64_t n) noexcept {
    return (map[n / map_bits] >> (n % map_bits) & 1) != 0;
}

[[nodiscard]] std::int64_t count_marked(const std::uint8_t* map, std::int64_t columns) noexcept {
    std::int64_t count = 0;
    for (std::int64_t n = 0; n < columns; ++n) count += is_marked(map, n) ? 1 : 0;
    return count;
}

/// Returns the local work of packing `messages`, in which every column is a separate block.
template <class T>
[[nodiscard]] LocalWork packing(const MessageArray<T>& messages, std::int64_t depth) {
    const Bytes bytes = messages.total() * Bytes(sizeof(T));
    return {bytes, messages.total() / depth, 0};
}

/// Copies the marked columns of a piece into the message; all columns if there is no map.
void pack(const Piece& piece, const std::uint8_t* map, const ColumnData& data, double* message) {
    std::int64_t n = 0;
    for_each_column(piece, [&](std::int64_t column) {
        if (map != nullptr && !is_marked(map, n++)) return;
        const double* const from = data.own + column * data.depth;
        message = std::copy(from, from + data.depth, message);
    });
}

/// Copies the columns of the message to their places in the halo: the marked ones, or all if there
/// is no map.
void unpack(const Piece& piece, const std::uint8_t* map, const double* message,
            const ColumnData& data) {
    std::int64_t n = 0;
    for_each_column(piece, [&](std::int64_t column) {
        if (map != nullptr && !is_marked(map, n++)) return;
        std::copy(message, message + data.depth, data.kept + column * data.depth);
        message += data.depth;
    });
}

void mark_map(const Piece& piece, std::span<const std::uint8_t> marks, std::uint8_t* map) {
    std::int64_t n = 0;
    for_each_column(piece, [&](std::int64_t column) {
        if (marks[std::size_t(column)] != 0)
            map[n / map_bits] = std::uint8_t(map[n / map_bits] | 1 << (n % map_bits));
        ++n;
    });
}

template <class T>
void start_receives(Comm& comm, Pieces from, MessageArray<T>& messages, Tag tag,
                    std::vector<Request>& requests) {
    for (std::size_t n = 0; n < from.size(); ++n) {
        const Buffer message = messages.buffer(n);
        if (message.size() > 0) requests.push_back(comm.irecv(from[n].rank, message, tag));
    }
}

/// Starts the sends of the messages that are not empty, and counts them.
template <class T>
ColumnTraffic start_sends(Comm& comm, Pieces to, MessageArray<T>& messages, Tag tag,
                          std::vector<Request>& requests) {
    ColumnTraffic sent;
    for (std::size_t n = 0; n < to.size(); ++n) {
        const Buffer message = messages.buffer(n);
        if (message.size() == 0) continue;
        requests.push_back(comm.isend(to[n].rank, message, tag));
        sent.messages += 1;
        sent.bytes += message.size();
    }
    return sent;
}

void add_answers(const ColumnTraffic& sent, ColumnTraffic& traffic) {
    traffic.messages += sent.messages;
    traffic.bytes += sent.bytes;
}

void add_requests(const ColumnTraffic& sent, ColumnTraffic& traffic) {
    add_answers(sent, traffic);
    traffic.request_messages += sent.messages;
    traffic.request_bytes += sent.bytes;
}

[[nodiscard]] auto map_size(Pieces pieces) {
    return [=](std::size_t n) { return (pieces[n].columns + map_bits - 1) / map_bits; };
}

/// Returns the function that gives the marked columns of piece n, times `depth`.
[[nodiscard]] auto marked_size(Pieces pieces, Maps& maps, std::int64_t depth) {
    return
        [=, &maps](std::size_t n) { return count_marked(maps.at(n), pieces[n].columns) * depth; };
}

struct RowRange {
    std::int64_t first = 0;
    std::int64_t count = 0;
};

/// Returns the shortest range of rows, on a domain of `ny` rows that is treated as periodic, that
/// contains all of `rows` (ascending): it begins after the longest gap.
[[nodiscard]] RowRange enclosing_rows(std::span<const ReachRow> rows, std::int64_t ny) {
    RowRange range;
    for (std::size_t n = 0; n < rows.size(); ++n) {
        const std::int64_t before = n > 0 ? rows[n - 1].row : rows.back().row - ny;
        const std::int64_t count = ny - (rows[n].row - before) + 1;
        if (n == 0 || count < range.count) range = {rows[n].row, count};
    }
    return range;
}

/// Exchanges the columns that were requested: sends the `asked` columns to other ranks and receives
/// the `wanted` ones.
Task answer(Comm& comm, const ColumnHalo& halo, Maps& wanted, Maps& asked, const ColumnData& data,
            ColumnTraffic& traffic) {
    const bool is_real = data.own != nullptr;
    Values in(halo.incoming(), is_real, marked_size(halo.incoming(), wanted, data.depth));
    Values out(halo.outgoing(), is_real, marked_size(halo.outgoing(), asked, data.depth));
    std::vector<Request> requests;
    start_receives(comm, halo.incoming(), in, columns_tag, requests);
    for (std::size_t n = 0; is_real && n < halo.outgoing().size(); ++n)
        pack(halo.outgoing()[n], asked.at(n), data, out.at(n));
    comm.charge(packing(out, data.depth));
    add_answers(start_sends(comm, halo.outgoing(), out, columns_tag, requests), traffic);
    co_await comm.wait_all(requests);
    for (std::size_t n = 0; is_real && n < halo.incoming().size(); ++n)
        unpack(halo.incoming()[n], wanted.at(n), in.at(n), data);
    comm.charge(packing(in, data.depth));
}

}  // namespace

ColumnHalo::ColumnHalo(const Reach& reach, Rank rank)
    : nx_(reach.grid.x.items()), ny_(reach.grid.y.items()) {
    add_rows(reach, rank);
    const ColumnGrid& grid = reach.grid;
    const auto into_halo = [&](Rank supplier) {
        Piece piece{supplier, 0, {}};
        visit_needed(reach, rank, supplier, [&](const ColumnRun& run) {
            check_interrupts();
            piece.stretches.push_back({index(run.row, run.first), run.count});
            piece.columns += run.count;
        });
        return piece;
    };
    const std::int64_t width = grid.x.size(grid.processes.column(rank));
    const std::int64_t corner =
        grid.y.start(grid.processes.row(rank)) * width + grid.x.start(grid.processes.column(rank));
    for (const Rank supplier : suppliers_of(reach, rank)) incoming_.push_back(into_halo(supplier));
    for (const Rank consumer : consumers_of(reach, rank)) {
        Piece piece{consumer, 0, {}};
        visit_needed(reach, consumer, rank, [&](const ColumnRun& run) {
            check_interrupts();
            piece.stretches.push_back({run.row * width + run.first - corner, run.count});
            piece.columns += run.count;
        });
        outgoing_.push_back(std::move(piece));
    }
    own_ = into_halo(rank);
}

void ColumnHalo::add_rows(const Reach& reach, Rank rank) {
    const ColumnGrid& grid = reach.grid;
    const Rank column = grid.processes.column(rank);
    const auto& rows = reach.rows[std::size_t(grid.processes.row(rank))];
    const RowRange range = enclosing_rows(rows, ny_);
    first_row_ = range.first;
    rows_.resize(std::size_t(range.count));
    for (const ReachRow& one : rows) {
        const std::int64_t length = grid.x.size(column) + 2 * one.width;
        HaloRow& kept = rows_[std::size_t((one.row - first_row_ + ny_) % ny_)];
        kept = {columns_, length < nx_ ? (grid.x.start(column) - one.width + nx_) % nx_ : 0};
        columns_ += std::min(length, nx_);
    }
}

std::int64_t ColumnHalo::foreign_columns() const noexcept {
    std::int64_t sum = 0;
    for (const Piece& piece : incoming_) sum += piece.columns;
    return sum;
}

void ColumnHalo::copy_own(const double* own, double* kept, std::int64_t depth) const {
    for_each_column(own_, [&](std::int64_t place) {
        std::copy(own, own + depth, kept + place * depth);
        own += depth;
    });
}

Task exchange_columns(Comm& comm, const ColumnHalo& halo, const ColumnData& data,
                      ColumnTraffic& traffic) {
    const bool is_real = data.own != nullptr;
    const auto size = [&](Pieces pieces) {
        return [=, &data](std::size_t n) { return pieces[n].columns * data.depth; };
    };
    Values in(halo.incoming(), is_real, size(halo.incoming()));
    Values out(halo.outgoing(), is_real, size(halo.outgoing()));
    std::vector<Request> requests;
    start_receives(comm, halo.incoming(), in, columns_tag, requests);
    for (std::size_t n = 0; is_real && n < halo.outgoing().size(); ++n)
        pack(halo.outgoing()[n], nullptr, data, out.at(n));
    comm.charge(packing(out, data.depth));
    add_answers(start_sends(comm, halo.outgoing(), out, columns_tag, requests), traffic);
    if (is_real) halo.copy_own(data.own, data.kept, data.depth);
    comm.charge(halo.own_work(data.depth));
    co_await comm.wait_all(requests);
    for (std::size_t n = 0; is_real && n < halo.incoming().size(); ++n)
        unpack(halo.incoming()[n], nullptr, in.at(n), data);
    comm.charge(packing(in, data.depth));
}

Task exchange_marked(Comm& comm, const ColumnHalo& halo, std::span<const std::uint8_t> marks,
                     const ColumnData& data, ColumnTraffic& traffic) {
    // In estimates nothing is ever delivered, hence every column counts as requested.
    constexpr std::uint8_t all = 0xff;
    Maps wanted(halo.incoming(), true, map_size(halo.incoming()));
    Maps asked(halo.outgoing(), true, map_size(halo.outgoing()), all);
    for (std::size_t n = 0; n < halo.incoming().size(); ++n)
        mark_map(halo.incoming()[n], marks, wanted.at(n));
    std::vector<Request> requests;
    start_receives(comm, halo.outgoing(), asked, request_tag, requests);
    add_requests(start_sends(comm, halo.incoming(), wanted, request_tag, requests), traffic);
    if (data.kept != nullptr) {
        std::fill_n(data.kept, halo.columns() * data.depth,
                    std::numeric_limits<double>::quiet_NaN());
        halo.copy_own(data.own, data.kept, data.depth);
    }
    comm.charge(halo.own_work(data.depth));
    co_await comm.wait_all(requests);
    co_await answer(comm, halo, wanted, asked, data, traffic);
}

Task gather_columns(Comm& comm, const ColumnGrid& grid, std::span<const double> own,
                    std::int64_t depth, std::vector<double>& all) {
    if (comm.rank() != 0) {
        co_await comm.send(0, ConstBuffer(own), gather_tag);
        co_return;
    }
    all.resize(std::size_t(grid.x.items() * grid.y.items() * depth));
    std::vector<double> part(own.begin(), own.end());
    for (Rank rank = 0; rank < comm.size(); ++rank) {
        part.resize(std::size_t(grid.own_columns(rank) * depth));
        if (rank > 0) co_await comm.recv(rank, Buffer(std::span(part)), gather_tag);
        const Rank column = grid.processes.column(rank);
        const std::int64_t length = grid.x.size(column) * depth;
        const std::int64_t first_row = grid.y.start(grid.processes.row(rank));
        for (std::int64_t j = 0; j * length < std::int64_t(part.size()); ++j) {
            const std::int64_t to =
                ((first_row + j) * grid.x.items() + grid.x.start(column)) * depth;
            check_interrupts(length);
            std::copy_n(part.data() + j * length, length, all.data() + to);
        }
    }
}

}  // namespace tradewind
