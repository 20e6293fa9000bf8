/// The expected result of each operation, and the loops over the tables.
#include "tradewind/comm/verification/verification.hpp"

#include <algorithm>

#include "tradewind/base/random.hpp"
#include "tradewind/comm/allgather/allgather.hpp"
#include "tradewind/comm/allreduce/allreduce.hpp"
#include "tradewind/comm/alltoallv/alltoallv.hpp"
#include "tradewind/comm/barrier/barrier.hpp"
#include "tradewind/comm/bcast/bcast.hpp"
#include "tradewind/comm/gather/gather.hpp"
#include "tradewind/comm/mesh/mesh_options.hpp"
#include "tradewind/comm/neighbor/neighbor.hpp"
#include "tradewind/comm/read_options.hpp"
#include "tradewind/comm/reduce/reduce.hpp"
#include "tradewind/comm/reduce_scatter/reduce_scatter.hpp"
#include "tradewind/comm/scan/scan.hpp"
#include "tradewind/comm/scatter/scatter.hpp"
#include "tradewind/comm/verification/mesh.hpp"
#include "tradewind/comm/verification/words.hpp"

namespace tradewind {

namespace {

using verification::word;
using verification::Words;

/// The factors by which short and long blocks differ in their number of words.
constexpr std::int64_t factors[] = {1, 400};

Words block(std::int64_t a, std::int64_t b, std::int64_t length) {
    Words words;
    for (std::int64_t i = 0; i < length; ++i) words.push_back(word(a, b, i));
    return words;
}

/// Returns the sum of block(0, b, length), ..., block(ranks - 1, b, length).
Words sum_of(Rank ranks, std::int64_t b, std::int64_t length) {
    Words words(std::size_t(length), 0.0);
    for (Rank r = 0; r < ranks; ++r) {
        for (std::int64_t i = 0; i < length; ++i) words[std::size_t(i)] += word(r, b, i);
    }
    return words;
}

Buffer all_of(Words& words) {
    return Buffer(std::span(words));
}

std::int64_t uneven(Rank from, Rank to, std::int64_t factor) {
    return std::int64_t(mix(std::uint64_t(from), std::uint64_t(to)) % 5) * factor;
}

/// One direction of an alltoallv of one rank, as sender or receiver: sizes and offsets in bytes,
/// and the words.
struct Side {
    std::vector<Bytes> sizes;
    std::vector<Bytes> offsets;
    Words words;

    void add(const Words& more) {
        sizes.push_back(Bytes(more.size() * sizeof(double)));
        offsets.push_back(Bytes(words.size() * sizeof(double)));
        words.insert(words.end(), more.begin(), more.end());
    }
};

Task try_alltoallv(Comm& comm, const AlltoallvAlgorithm& algorithm, std::int64_t factor,
                   bool& right) {
    Side sent;
    Side expected;
    const Rank r = comm.rank();
    for (Rank i = 0; i < comm.size(); ++i) {
        sent.add(block(r, i, uneven(r, i, factor)));
        expected.add(block(i, r, uneven(i, r, factor)));
    }
    // One word more, since an empty buffer would be null.
    sent.words.push_back(0.0);
    Words received(expected.words.size() + 1, -1.0);
    const ArrayBlocks blocks(sent.sizes, sent.offsets, expected.sizes, expected.offsets);
    co_await algorithm.run(comm, {all_of(sent.words), all_of(received), &blocks},
                           default_options(algorithm));
    expected.words.push_back(-1.0);
    right = received == expected.words;
}

Task try_allreduce(Comm& comm, const AllreduceAlgorithm& algorithm, std::int64_t factor,
                   bool& right) {
    const std::int64_t length = 7 * factor;
    Words vector = block(comm.rank(), 0, length);
    co_await algorithm.run(comm, {all_of(vector), sum<double>()}, default_options(algorithm));
    right = vector == sum_of(comm.size(), 0, length);
}

/// The blocks of all ranks of an operation with one block per rank, some of them empty.
struct AllBlocks {
    std::vector<Bytes> offsets{0};
    Words words;

    AllBlocks(Rank ranks, std::int64_t b, std::int64_t factor) {
        for (Rank r = 0; r < ranks; ++r) {
            const Words more = block(r, b, uneven(r, b, factor));
            words.insert(words.end(), more.begin(), more.end());
            offsets.push_back(Bytes(words.size() * sizeof(double)));
        }
    }
    [[nodiscard]] RankBlocks blocks() const { return RankBlocks(std::span<const Bytes>(offsets)); }
};

/// Returns the first `bytes` bytes of words, one more of which keeps the buffer from being null.
Buffer first_of(Words& words, Bytes bytes) {
    return all_of(words).part(0, bytes);
}

Task try_allgather_uneven(Comm& comm, const AllgatherAlgorithm& algorithm, std::int64_t factor,
                          bool& right) {
    AllBlocks expected(comm.size(), 8, factor);
    const RankBlocks blocks = expected.blocks();
    Words mine = block(comm.rank(), 8, uneven(comm.rank(), 8, factor));
    mine.push_back(0.0);
    Words all(expected.words.size() + 1, -1.0);
    const Allgather data{first_of(mine, blocks.size(comm.rank())),
                         first_of(all, blocks.offset(comm.size())), blocks};
    co_await algorithm.run(comm, data, default_options(algorithm));
    expected.words.push_back(-1.0);
    right = all == expected.words;
}

Task try_allgather(Comm& comm, const AllgatherAlgorithm& algorithm, std::int64_t factor,
                   bool& right) {
    Words mine = block(comm.rank(), 1, 3 * factor);
    Words expected;
    for (Rank r = 0; r < comm.size(); ++r) {
        const Words theirs = block(r, 1, 3 * factor);
        expected.insert(expected.end(), theirs.begin(), theirs.end());
    }
    Words all(expected.size(), -1.0);
    co_await algorithm.run(comm, {all_of(mine), all_of(all)}, default_options(algorithm));
    const bool equal_right = all == expected;
    co_await try_allgather_uneven(comm, algorithm, factor, right);
    right = right && equal_right;
}

Task try_bcast(Comm& comm, const BcastAlgorithm& algorithm, std::int64_t factor, bool& right) {
    const Rank root = comm.size() / 2;
    const Words expected = block(root, 2, 11 * factor);
    Words data = comm.rank() == root ? expected : Words(expected.size(), -1.0);
    co_await algorithm.run(comm, {all_of(data), root}, default_options(algorithm));
    right = data == expected;
}

Task try_reduce(Comm& comm, const ReduceAlgorithm& algorithm, std::int64_t factor, bool& right) {
    const Rank root = comm.size() / 2;
    const std::int64_t length = 7 * factor;
    Words vector = block(comm.rank(), 3, length);
    co_await algorithm.run(comm, {all_of(vector), sum<double>(), root}, default_options(algorithm));
    right = comm.rank() != root || vector == sum_of(comm.size(), 3, length);
}

Task try_gather(Comm& comm, const GatherAlgorithm& algorithm, std::int64_t factor, bool& right) {
    AllBlocks expected(comm.size(), 4, factor);
    const RankBlocks blocks = expected.blocks();
    const Rank root = comm.size() / 2;
    const Rank r = comm.rank();
    Words mine = block(r, 4, uneven(r, 4, factor));
    mine.push_back(0.0);
    Words all(expected.words.size() + 1, -1.0);
    const Gather data{first_of(mine, blocks.size(r)), first_of(all, blocks.offset(comm.size())),
                      blocks, root};
    co_await algorithm.run(comm, data, default_options(algorithm));
    expected.words.push_back(-1.0);
    right = r != root || all == expected.words;
}

Task try_scatter(Comm& comm, const ScatterAlgorithm& algorithm, std::int64_t factor, bool& right) {
    AllBlocks all(comm.size(), 5, factor);
    const RankBlocks blocks = all.blocks();
    const Rank r = comm.rank();
    Words expected = block(r, 5, uneven(r, 5, factor));
    expected.push_back(-1.0);
    all.words.push_back(0.0);
    Words mine(expected.size(), -1.0);
    const Scatter data{first_of(all.words, blocks.offset(comm.size())),
                       first_of(mine, blocks.size(r)), blocks, comm.size() / 2};
    co_await algorithm.run(comm, data, default_options(algorithm));
    right = mine == expected;
}

Task try_scan(Comm& comm, const ScanAlgorithm& algorithm, std::int64_t factor, bool& right) {
    const std::int64_t length = 7 * factor;
    const Rank r = comm.rank();
    Words inclusive = block(r, 6, length);
    Words exclusive = inclusive;
    co_await algorithm.run(comm, {all_of(inclusive), sum<double>(), false},
                           default_options(algorithm));
    co_await algorithm.run(comm, {all_of(exclusive), sum<double>(), true},
                           default_options(algorithm));
    // Rank 0 has no exclusive result and keeps its vector.
    right = inclusive == sum_of(r + 1, 6, length) &&
            exclusive == sum_of(std::max(r, Rank{1}), 6, length);
}

Task try_reduce_scatter(Comm& comm, const ReduceScatterAlgorithm& algorithm, std::int64_t factor,
                        bool& right) {
    const AllBlocks shape(comm.size(), 7, factor);
    const RankBlocks blocks = shape.blocks();
    const std::int64_t length = std::int64_t(shape.words.size());
    Words vector = block(comm.rank(), 7, length);
    vector.push_back(0.0);
    const Buffer data = first_of(vector, blocks.offset(comm.size()));
    co_await algorithm.run(comm, {data, sum<double>(), blocks}, default_options(algorithm));
    const Words expected = sum_of(comm.size(), 7, length);
    const auto word_size = Bytes(sizeof(double));
    const Bytes begin = blocks.offset(comm.rank()) / word_size;
    right = std::equal(expected.begin() + begin,
                       expected.begin() + begin + blocks.size(comm.rank()) / word_size,
                       vector.begin() + begin);
}

Task try_barrier(Comm& comm, const BarrierAlgorithm& algorithm, std::int64_t /*factor*/,
                 bool& right) {
    co_await algorithm.run(comm, default_options(algorithm));
    right = true;
}

/// Returns the size of the message along an edge, or -1 if there is no edge. Every rank sends to
/// about a third of the ranks, and the graph is not symmetric.
Bytes edge_size(Rank from, Rank to, std::int64_t factor) {
    const bool joined = mix(std::uint64_t(to), std::uint64_t(from)) % 3 == 0;
    return joined ? Bytes(sizeof(double)) * uneven(from, to, factor) : -1;
}

Task try_neighbor(Comm& comm, const NeighborAlgorithm& algorithm, std::int64_t factor,
                  bool& right) {
    Neighborhood neighbors;
    Words sent;
    Words expected;
    const Rank r = comm.rank();
    const auto add = [factor](std::vector<Neighbor>& list, Words& words, Rank other, Rank from,
                              Rank to) {
        const Bytes size = edge_size(from, to, factor);
        if (size < 0) return;
        list.push_back({other, size, Bytes(words.size() * sizeof(double))});
        const Words more = block(from, to, size / Bytes(sizeof(double)));
        words.insert(words.end(), more.begin(), more.end());
    };
    for (Rank i = 0; i < comm.size(); ++i) {
        add(neighbors.destinations, sent, i, r, i);
        add(neighbors.sources, expected, i, i, r);
    }
    sent.push_back(0.0);
    Words received(expected.size() + 1, -1.0);
    NeighborExchange data{all_of(sent), all_of(received), &neighbors};
    std::unique_ptr<NeighborConnection> connection;
    if (algorithm.prepare != nullptr) {
        connection = algorithm.prepare(comm, data);
        co_await connection->connect(comm);
    }
    data.connection = connection.get();
    co_await algorithm.run(comm, data, default_options(algorithm));
    expected.push_back(-1.0);
    right = received == expected;
}

template <class Algorithm>
Task try_table(Comm& comm, const Operation& operation, std::span<const Algorithm> table,
               Task (*attempt)(Comm&, const Algorithm&, std::int64_t, bool&),
               std::vector<Verdict>& verdicts) {
    for (const Algorithm& algorithm : table) {
        verdicts.push_back({std::string(operation.name), std::string(algorithm.name), 0});
        bool all_right = true;
        for (const std::int64_t factor : factors) {
            bool right = false;
            co_await attempt(comm, algorithm, factor, right);
            all_right = all_right && right;
        }
        verdicts.back().wrong = all_right ? 0 : 1;
    }
}

/// Tries all choices of the exchange between parts of a mesh.
Task try_meshes(Comm& comm, std::string_view operation, MeshCombination combination,
                std::vector<Verdict>& verdicts) {
    for (const std::string& choice : mesh_choices(comm.library() != nullptr)) {
        verdicts.push_back({std::string(operation), choice, 0});
        bool all_right = true;
        for (const std::int64_t factor : factors) {
            bool right = false;
            co_await verification::try_mesh(comm, combination, choice, factor, right);
            all_right = all_right && right;
        }
        verdicts.back().wrong = all_right ? 0 : 1;
    }
}

}  // namespace

Task verify_algorithms(Comm& comm, std::vector<Verdict>& verdicts) {
    verdicts.clear();
    co_await try_table(comm, alltoallv_operation, alltoallv_algorithms(), try_alltoallv, verdicts);
    co_await try_table(comm, allreduce_operation, allreduce_algorithms(), try_allreduce, verdicts);
    co_await try_table(comm, allgather_operation, allgather_algorithms(), try_allgather, verdicts);
    co_await try_table(comm, bcast_operation, bcast_algorithms(), try_bcast, verdicts);
    co_await try_table(comm, reduce_operation, reduce_algorithms(), try_reduce, verdicts);
    co_await try_table(comm, gather_operation, gather_algorithms(), try_gather, verdicts);
    co_await try_table(comm, scatter_operation, scatter_algorithms(), try_scatter, verdicts);
    co_await try_table(comm, scan_operation, scan_algorithms(), try_scan, verdicts);
    co_await try_table(comm, reduce_scatter_operation, reduce_scatter_algorithms(),
                       try_reduce_scatter, verdicts);
    co_await try_table(comm, barrier_operation, barrier_algorithms(), try_barrier, verdicts);
    co_await try_table(comm, neighbor_operation, neighbor_algorithms(), try_neighbor, verdicts);
    co_await try_meshes(comm, "mesh_sum", MeshCombination::sum, verdicts);
    co_await try_meshes(comm, "mesh_copy", MeshCombination::copy, verdicts);

    // Only messages from and to rank 0, so that the verdict depends on no algorithm.
    Words wrong;
    for (const Verdict& verdict : verdicts) wrong.push_back(double(verdict.wrong));
    if (comm.rank() > 0) {
        co_await comm.send(0, all_of(wrong));
        co_await comm.recv(0, all_of(wrong));
    } else {
        Words theirs(wrong.size());
        for (Rank r = 1; r < comm.size(); ++r) {
            co_await comm.recv(r, all_of(theirs));
            for (std::size_t i = 0; i < wrong.size(); ++i) wrong[i] += theirs[i];
        }
        for (Rank r = 1; r < comm.size(); ++r) co_await comm.send(r, all_of(wrong));
    }
    for (std::size_t i = 0; i < wrong.size(); ++i) verdicts[i].wrong = std::int64_t(wrong[i]);
}

}  // namespace tradewind
