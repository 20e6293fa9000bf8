/// The common part of the tests of the C interface.
#pragma once

#include <string>
#include <string_view>

#include "testing.hpp"
#include "tradewind/capi/tradewind.h"

namespace tradewind::capi {

/// A handle of the communicator of all processes.
class Handle {
public:
    Handle() {
        CHECK_EQ(tradewind_comm_create(MPI_COMM_WORLD, &comm_), TRADEWIND_OK);
        CHECK_EQ(tradewind_comm_rank(comm_, &rank_), TRADEWIND_OK);
        CHECK_EQ(tradewind_comm_size(comm_, &size_), TRADEWIND_OK);
    }
    Handle(const Handle&) = delete;
    Handle& operator=(const Handle&) = delete;
    ~Handle() { tradewind_comm_free(&comm_); }

    operator tradewind_comm*() const { return comm_; }
    [[nodiscard]] int rank() const { return rank_; }
    [[nodiscard]] int size() const { return size_; }

private:
    tradewind_comm* comm_ = nullptr;
    int rank_ = -1;
    int size_ = 0;
};

inline bool error_says(std::string_view words) {
    const std::string_view error = tradewind_last_error();
    if (error.find(words) != std::string_view::npos) return true;
    std::cerr << "the error is: " << error << '\n';
    return false;
}

}  // namespace tradewind::capi
