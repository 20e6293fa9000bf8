/// The collectives of the MPI library as algorithms, on MPI communicators and on their rows and
/// columns.
#include "real_ranks.hpp"
#include "support/messages.hpp"
#include "support/ranks.hpp"
#include "testing.hpp"
#include "tradewind/comm/allreduce/allreduce.hpp"
#include "tradewind/comm/alltoallv/alltoallv.hpp"
#include "tradewind/comm/sub_comm.hpp"
#include "tradewind/mpi/mpi_comm.hpp"

using namespace tradewind;
using support::says;

namespace {

using Words = std::vector<std::int64_t>;

/// Blocks in which rank r sends r + i words to rank i, but none to the next rank.
class Uneven final : public Blocks {
public:
    explicit Uneven(const Comm& comm) : rank_(comm.rank()), size_(comm.size()) {}
    [[nodiscard]] Bytes send_size(Rank to) const override { return words(rank_, to) * 8; }
    [[nodiscard]] Bytes receive_size(Rank from) const override { return words(from, rank_) * 8; }
    [[nodiscard]] Bytes send_offset(Rank to) const override {
        Bytes offset = 0;
        for (Rank r = 0; r < to; ++r) offset += send_size(r);
        return offset;
    }
    [[nodiscard]] Bytes receive_offset(Rank from) const override {
        Bytes offset = 0;
        for (Rank r = 0; r < from; ++r) offset += receive_size(r);
        return offset;
    }

private:
    [[nodiscard]] std::int64_t words(Rank from, Rank to) const {
        return to == (from + 1) % size_ ? 0 : from + to;
    }
    Rank rank_;
    Rank size_;
};

/// Runs an alltoallv and then allreduces by the given algorithms, and appends all results.
Task both(Comm& comm, std::string_view exchange, std::string_view reduce, Words& result) {
    const Uneven blocks(comm);
    Words send(std::size_t(blocks.send_offset(comm.size()) / 8));
    for (std::size_t i = 0; i < send.size(); ++i) send[i] = 100 * comm.rank() + std::int64_t(i);
    result.assign(std::size_t(blocks.receive_offset(comm.size()) / 8), -1);
    const Alltoallv data{Buffer(std::span(send)), Buffer(std::span(result)), &blocks};
    co_await alltoallv_algorithm(exchange).run(comm, data, {});
    std::vector<double> sums{double(comm.rank()), 0.5};
    std::int64_t most = comm.rank();
    const Allreduce added{Buffer(std::span(sums)), sum<double>()};
    co_await allreduce_algorithm(reduce).run(comm, added, {});
    const Allreduce compared{Buffer(std::span(&most, 1)), maximum<std::int64_t>()};
    co_await allreduce_algorithm(reduce).run(comm, compared, {});
    result.push_back(std::int64_t(sums[0]));
    result.push_back(std::int64_t(2 * sums[1]));
    result.push_back(most);
}

Task compare(Comm& comm) {
    Words native;
    Words written;
    co_await both(comm, "native", "native", native);
    co_await both(comm, "ring", "recursive_doubling", written);
    CHECK(native == written);
}

/// Compares on all ranks, and twice each on rows, on columns, and on every second rank of a row.
Task compare_all(Comm& comm, Rank columns) {
    co_await compare(comm);
    for (int again = 0; again < 2; ++again) {
        SubComm row = row_of(comm, columns);
        SubComm column = column_of(comm, columns);
        co_await compare(row);
        co_await compare(column);
        SubComm half = row.strided(row.rank() % 2, 2, (row.size() + 1 - row.rank() % 2) / 2);
        co_await compare(half);
    }
}

Task without_data(Comm& comm) {
    const UniformBlocks blocks(40);
    const Bytes all = 40 * comm.size();
    co_await alltoallv_algorithm("native").run(comm, {ConstBuffer(all), Buffer(all), &blocks}, {});
    co_await allreduce_algorithm("native").run(comm, {Buffer(Bytes{80}), sum<double>()}, {});
}

Task with_option(Comm& comm) {
    const UniformBlocks blocks(8);
    const Bytes all = 8 * comm.size();
    Options options;
    options.protocol = find_protocol("(1,6)");
    co_await alltoallv_algorithm("native").run(comm, {ConstBuffer(all), Buffer(all), &blocks},
                                               options);
}

Task of_floats(Comm& comm) {
    float value = 1.0F;
    const Allreduce vector{Buffer(std::span(&value, 1)), sum<float>()};
    co_await allreduce_algorithm("native").run(comm, vector, {});
}

std::string refusal(const Program& program) {
    return support::message_of<ConfigError>([&] { run_ranks(2, program); });
}

}  // namespace

TEST_CASE("native collectives do what the others do, on communicators and what is made of them") {
    for (const Rank ranks : runnable({1, 2, 3, 4, 8})) {
        for (Rank columns = 1; columns <= ranks; ++columns) {
            if (ranks % columns != 0) continue;
            CAPTURE(ranks, columns);
            run_ranks(ranks, [&](Comm& comm) { return compare_all(comm, columns); });
        }
        run_ranks(ranks, without_data);
    }
}

TEST_CASE("native collectives refuse what they cannot do") {
    if (runnable({2}).empty()) return;
    CHECK(says(refusal(with_option), "native takes no protocol"));
    CHECK(says(refusal(of_floats), "double and 64-bit integers only"));
}
