/// ByteType: any number of bytes as a count and a type for MPI, whose counts are at most 2^31 - 1.
#pragma once

#include <climits>

#include "tradewind/base/units.hpp"
#include "tradewind/mpi/check.hpp"

namespace tradewind::mpi {

/// A count of MPI_BYTE, or beyond 2^31 - 1 bytes one element of a type made of large chunks and the
/// remainder. This works with every MPI from version 3 on; the large counts of MPI 4 would need a
/// second branch.
class ByteType {
public:
    explicit ByteType(Bytes size) {
        if (size <= INT_MAX) {
            count_ = static_cast<int>(size);
        } else {
            make_large(size);
        }
    }
    ByteType(const ByteType&) = delete;
    ByteType& operator=(const ByteType&) = delete;
    /// Frees the type; MPI keeps it alive for pending messages.
    ~ByteType() {
        if (type_ != MPI_BYTE) MPI_Type_free(&type_);
    }

    [[nodiscard]] int count() const noexcept { return count_; }
    [[nodiscard]] MPI_Datatype type() const noexcept { return type_; }

private:
    void make_large(Bytes size) {
        constexpr Bytes chunk = Bytes{1} << 30;
        MPI_Datatype chunks = MPI_DATATYPE_NULL;
        check(MPI_Type_contiguous(static_cast<int>(chunk), MPI_BYTE, &chunks),
              "MPI_Type_contiguous");
        int lengths[] = {static_cast<int>(size / chunk), static_cast<int>(size % chunk)};
        MPI_Aint places[] = {0, static_cast<MPI_Aint>(size / chunk * chunk)};
        MPI_Datatype types[] = {chunks, MPI_BYTE};
        check(MPI_Type_create_struct(2, lengths, places, types, &type_), "MPI_Type_create_struct");
        check(MPI_Type_commit(&type_), "MPI_Type_commit");
        check(MPI_Type_free(&chunks), "MPI_Type_free");
        count_ = 1;
    }

    int count_ = 0;
    MPI_Datatype type_ = MPI_BYTE;
};

}  // namespace tradewind::mpi
