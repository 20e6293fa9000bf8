/// Wrong input to the C interface: it gives an error code, and a text that names the function and
/// the argument.
#include <vector>

#include "capi_cases.hpp"

namespace tradewind {

using capi::error_says;

TEST_CASE("an unknown algorithm or option is refused with the known ones") {
    const capi::Handle comm;
    double value = 1.0;
    const auto refuses = [&](const char* algorithm, const char* words) {
        CAPTURE(algorithm);
        CHECK_EQ(tradewind_allreduce(comm, &value, 1, TRADEWIND_DOUBLE, TRADEWIND_SUM, algorithm),
                 TRADEWIND_WRONG_INPUT);
        CHECK(error_says("tradewind_allreduce: "));
        CHECK(error_says(words));
    };
    refuses("pigeons", "no algorithm 'pigeons'; known are: recursive_doubling");
    refuses("recursive_k:radius=4", "no option 'radius'; known are: radix, window, protocol");
    refuses("recursive_k:radix=1", "radix = 1 is not in 2..");
    refuses("recursive_k:radix=many", "\"radix\" has the wrong type");
    refuses("recursive_k:radix", "is not of the form key=value");
    refuses("recursive_k:protocol=(9,9)", "no protocol '(9,9)'");
    refuses("ring:radix=4", "ring has no radix");
    CHECK_EQ(value, 1.0);
}

TEST_CASE("wrong counts, types, operations, ranks and pointers are refused") {
    const capi::Handle comm;
    double value = 1.0;
    const auto allreduce = [&](void* data, std::int64_t count, int type, int operation) {
        return tradewind_allreduce(comm, data, count, type, operation, nullptr);
    };
    CHECK_EQ(allreduce(&value, -1, TRADEWIND_DOUBLE, TRADEWIND_SUM), TRADEWIND_WRONG_INPUT);
    CHECK(error_says("count is -1, must not be negative"));
    CHECK_EQ(allreduce(&value, INT64_MAX / 2, TRADEWIND_DOUBLE, TRADEWIND_SUM),
             TRADEWIND_WRONG_INPUT);
    CHECK(error_says("too large"));
    CHECK_EQ(allreduce(nullptr, 1, TRADEWIND_DOUBLE, TRADEWIND_SUM), TRADEWIND_WRONG_INPUT);
    CHECK(error_says("data is NULL, for 8 bytes"));
    CHECK_EQ(allreduce(nullptr, 0, TRADEWIND_DOUBLE, TRADEWIND_SUM), TRADEWIND_OK);
    CHECK_EQ(allreduce(&value, 1, 99, TRADEWIND_SUM), TRADEWIND_WRONG_INPUT);
    CHECK(error_says("no type 99; known are TRADEWIND_BYTE"));
    CHECK_EQ(allreduce(&value, 1, TRADEWIND_BYTE, TRADEWIND_SUM), TRADEWIND_WRONG_INPUT);
    CHECK(error_says("TRADEWIND_BYTE cannot be reduced"));
    CHECK_EQ(allreduce(&value, 1, TRADEWIND_FLOAT, 0), TRADEWIND_WRONG_INPUT);
    CHECK(error_says("no operation 0; known are TRADEWIND_SUM"));
    CHECK_EQ(tradewind_bcast(comm, &value, 1, TRADEWIND_DOUBLE, comm.size(), nullptr),
             TRADEWIND_WRONG_INPUT);
    CHECK(error_says("root = " + std::to_string(comm.size())));
    const int stranger = -1;
    const std::int64_t one = 1;
    CHECK_EQ(tradewind_neighbor_exchange(comm, 1, &stranger, &value, &one, &value, &one,
                                         TRADEWIND_DOUBLE),
             TRADEWIND_WRONG_INPUT);
    CHECK(error_says("ranks[0] = -1 is not a rank"));
    CHECK_EQ(value, 1.0);
}

TEST_CASE("wrong blocks of an alltoallv are refused") {
    const capi::Handle comm;
    std::vector<std::int64_t> counts(std::size_t(comm.size()), 1);
    std::vector<std::int64_t> offsets(counts.size());
    for (std::size_t i = 0; i < offsets.size(); ++i) offsets[i] = std::int64_t(i);
    std::vector<float> values(counts.size());
    const auto run = [&](const std::int64_t* send_counts, const std::int64_t* receive_counts) {
        return tradewind_alltoallv(comm, values.data(), send_counts, offsets.data(), values.data(),
                                   receive_counts, offsets.data(), TRADEWIND_FLOAT, nullptr);
    };
    CHECK_EQ(run(nullptr, counts.data()), TRADEWIND_WRONG_INPUT);
    CHECK(error_says("send_counts is NULL"));
    std::vector<std::int64_t> others = counts;
    others.back() = -3;
    CHECK_EQ(run(counts.data(), others.data()), TRADEWIND_WRONG_INPUT);
    CHECK(error_says("receive_counts[" + std::to_string(comm.size() - 1) + "] is -3"));
    others = counts;
    others[std::size_t(comm.rank())] = 2;
    CHECK_EQ(run(counts.data(), others.data()), TRADEWIND_WRONG_INPUT);
    CHECK(error_says("bytes to itself"));
}

TEST_CASE("a missing handle, place or communicator is refused") {
    CHECK_EQ(tradewind_barrier(nullptr, nullptr), TRADEWIND_WRONG_INPUT);
    CHECK(error_says("tradewind_barrier: comm is NULL"));
    CHECK_EQ(tradewind_comm_world(nullptr), TRADEWIND_WRONG_INPUT);
    tradewind_comm* comm = nullptr;
    CHECK_EQ(tradewind_comm_create(MPI_COMM_NULL, &comm), TRADEWIND_WRONG_INPUT);
    CHECK(error_says("the communicator is null"));
    CHECK(comm == nullptr);
    CHECK_EQ(tradewind_comm_free(&comm), TRADEWIND_OK);
    CHECK_EQ(tradewind_halo_exchange(nullptr, nullptr), TRADEWIND_WRONG_INPUT);
}

TEST_CASE("a communicator of Fortran is the same one") {
    tradewind_comm* comm = nullptr;
    int size = 0;
    int expected = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &expected);
    CHECK_EQ(tradewind_comm_create_f(MPI_Comm_c2f(MPI_COMM_WORLD), &comm), TRADEWIND_OK);
    CHECK_EQ(tradewind_comm_size(comm, &size), TRADEWIND_OK);
    CHECK_EQ(size, expected);
    CHECK_EQ(tradewind_barrier(comm, nullptr), TRADEWIND_OK);
    CHECK_EQ(tradewind_comm_free(&comm), TRADEWIND_OK);
    CHECK_EQ(tradewind_finalize(), TRADEWIND_OK);  // MPI was not started here and is not ended
    CHECK_EQ(tradewind_init(), TRADEWIND_OK);
}

}  // namespace tradewind
