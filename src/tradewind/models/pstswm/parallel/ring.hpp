/// Ring: Legendre transforms whose sums over latitudes are spread over the ranks of a column, while
/// blocks of levels pass around a ring (the ringpipe of worley1998).
///
/// Forward, P = 3. A number is a block of levels, and + says that a rank adds the part of its
/// latitudes:
///
///     rank 0       rank 1       rank 2
///     2+           0+           1+           what each computes and sends to the next
///     1+           2+           0+
///     0+ done      1+ done      2+ done      rank r keeps the tendencies of block r
///
/// Inverse: block r starts at rank r, and every rank uses it for its latitudes before the next one
/// arrives. Each direction costs P - 1 messages and V (1 - 1/P) bytes, V the coefficients of all
/// levels. A rank computes while its messages travel, unless the plan's protocol forbids it. With
/// more ranks than levels some blocks are empty.
#pragma once

#include "tradewind/models/pstswm/model.hpp"

namespace tradewind::pstswm {

/// Computes `inverse.fourier` from the states of all ranks of the column, each the rank's own block
/// of levels. Without a model the same messages are sent with null buffers.
Task ring_inverse(Comm& column, const ArrayLayout& layout, Delivery delivery, const State* state,
                  ShallowWaterModel* model);

/// The data of the forward transform.
struct RingForward {
    std::int64_t fields = 0;
    bool is_start = false;
    ShallowWaterModel* model = nullptr;
};
/// Computes `tendency` of the rank's block from `forward.fourier`.
Task ring_forward(Comm& column, const ArrayLayout& layout, Delivery delivery, RingForward data);

}  // namespace tradewind::pstswm
