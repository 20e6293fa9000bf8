/// Parts shared by the allreduce algorithms: the check of the vector, memory for vectors that
/// arrive, and their combination in order.
#pragma once

#include <algorithm>

#include "tradewind/comm/allreduce/allreduce.hpp"
#include "tradewind/comm/catalogue.hpp"
#include "tradewind/comm/local_work.hpp"
#include "tradewind/comm/workspace.hpp"

namespace tradewind {

/// Throws ConfigError unless the vector consists of whole elements.
inline void require_whole_elements(const Allreduce& vector, std::string_view algorithm) {
    const Bytes element = vector.reduction.element_size;
    if (element > 0 && vector.data.size() % element == 0) return;
    throw ConfigError(text(algorithm, ": ", vector.data.size(),
                           " bytes are not a multiple of the element size, ", element));
}

/// Memory for `count` arriving vectors of equal size; holds only sizes if the data are null.
class Slots {
public:
    Slots(const Comm& comm, const Buffer& like, Bytes size, Rank count)
        : memory_(comm, like.is_null() ? 0 : count * size), size_(size) {}
    [[nodiscard]] Buffer operator[](Rank slot) const noexcept {
        std::byte* const first = memory_.data();
        return {first != nullptr ? first + slot * size_ : nullptr, size_};
    }

private:
    Workspace memory_;
    Bytes size_;
};

/// Memory for one arriving vector or segment; holds only its size if the data are null.
class ArrivedVector {
public:
    ArrivedVector(const Comm& comm, const Buffer& like, Bytes size)
        : memory_(comm, like.is_null() ? 0 : size), buffer_(memory_.data(), size) {}
    ArrivedVector(const Comm& comm, const Buffer& like) : ArrivedVector(comm, like, like.size()) {}
    [[nodiscard]] const Buffer& buffer() const noexcept { return buffer_; }
    /// Returns the first `size` bytes.
    [[nodiscard]] Buffer first(Bytes size) const noexcept { return buffer_.part(0, size); }

private:
    Workspace memory_;
    Buffer buffer_;
};

/// Returns the slot in which the group's member at position `own` keeps the vector of `member`.
[[nodiscard]] inline Rank slot_of(Rank member, Rank own) noexcept {
    return member < own ? member : member - 1;
}

/// Combines the vectors of a group in the order of its members, so that all members get the same
/// bits. The rank's own vector is in `vector.data`, the others are in their slots.
inline void combine_group(Comm& comm, const Allreduce& vector, const Slots& slots, Rank members,
                          Rank own) {
    const Bytes size = vector.data.size();
    comm.charge({own == 0 ? 0 : size, own == 0 ? 0 : 1, (members - 1) * size});
    if (vector.data.is_null()) return;
    const Buffer sum = own == 0 ? vector.data : slots[0];
    for (Rank member = 1; member < members; ++member) {
        vector.reduction(member == own ? vector.data : slots[slot_of(member, own)], sum);
    }
    if (own != 0) copy(sum, vector.data);
}

/// A vector cut into segments of whole elements. The first segments are longer by one element;
/// segments may be empty.
class Segments {
public:
    Segments(const Allreduce& vector, Rank count) noexcept
        : data_(vector.data),
          element_(vector.reduction.element_size),
          quotient_(vector.data.size() / element_ / count),
          remainder_(vector.data.size() / element_ % count) {}

    /// Returns segments first, ..., first + count - 1 as one buffer.
    [[nodiscard]] Buffer part(Rank first, Rank count = 1) const noexcept {
        const Bytes begin = offset(first);
        return data_.part(begin, offset(first + count) - begin);
    }
    [[nodiscard]] Bytes largest(Rank count = 1) const noexcept { return offset(count); }

private:
    [[nodiscard]] Bytes offset(Rank segment) const noexcept {
        return (segment * quotient_ + std::min(segment, remainder_)) * element_;
    }

    Buffer data_;
    Bytes element_;
    Bytes quotient_;
    Rank remainder_;
};

}  // namespace tradewind
