/// The filter of the highest polynomials of an element, against the aliasing of products.
#pragma once

#include "tradewind/models/homme/dg/dg_kernels.hpp"

namespace tradewind::homme {

/// The matrix that damps the Legendre polynomials of an element along one direction:
///
///     a_k -> a_k exp(-(step / time) (k / 5)^order)        k = 0 to 5
///
/// It changes no mean, so that an element needs no neighbour and loses no mass.
/// Source: Hesthaven and Warburton (2008), equation 5.16.
struct DgFilter {
    DgFilter(const GaussLobatto& rule, double damping, double order);

    double at[dg_np][dg_np];
};

/// Filters the fields of an element. The wind is filtered by its covariant components. The mass and
/// the enthalpy of every layer of the element stay.
void dg_filter(const DgFilter& filter, const DgElement& element, const VerticalGrid& column,
               const ElementFields& fields);

}  // namespace tradewind::homme
