/// Ring: Legendre transforms of which every rank of a column does its latitudes' part, while blocks
/// of levels pass round a ring (the ringpipe of worley1998).
///
/// Forward, P = 3; a number is a block of levels, + says that a rank adds the part of its
/// latitudes:
///
///     rank 0       rank 1       rank 2
///     2+           0+           1+           what each computes and sends to the next
///     1+           2+           0+
///     0+ done      1+ done      2+ done      rank r keeps the tendencies of block r
///
/// Inverse: block r sets out from rank r, and every rank uses it for its latitudes before the next
/// one arrives. P - 1 messages and V (1 - 1/P) bytes each way, V the coefficients of all levels. A
/// rank computes while its messages travel, unless the plan's protocol forbids it. With more ranks
/// than levels some blocks are empty.
#pragma once

#include "tradewind/models/pstswm/model.hpp"

namespace tradewind::pstswm {

/// `inverse.fourier` from the states of all ranks of the column, each the rank's own block of
/// levels. Without a model the same messages are sent with null buffers.
Task ring_inverse(Comm& column, const Layout& layout, Delivery delivery, const State* state,
                  Model* model);

/// What goes forward.
struct RingForward {
    std::int64_t fields = 0;
    bool is_start = false;
    Model* model = nullptr;
};
/// `tendency` of the rank's block from `forward.fourier`.
Task ring_forward(Comm& column, const Layout& layout, Delivery delivery, RingForward data);

}  // namespace tradewind::pstswm
