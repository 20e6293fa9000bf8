#include "tradewind/models/fvwam/sources/spectrum_rows.hpp"

namespace tradewind::fvwam {

namespace {

/// Copies the directions of one frequency. The last vector overlaps the one before. Returns the sum
/// of all whole vectors in `sum`, and that of the last vector in `last`.
template <class Real>
TRADEWIND_INLINE void copy_row(std::int64_t directions, const Real* from, Real* to,
                               Vector<Real>& sum, Vector<Real>& last) {
    for (std::int64_t k = 0; k + lanes<Real> <= directions; k += lanes<Real>) {
        const Vector<Real> values = at(from + k);
        at(to + k) = values;
        sum += values;
    }
    last = at(from + directions - lanes<Real>);
    at(to + directions - lanes<Real>) = last;
}

/// Copies rows with halos. These come from the spectrum as well: what was just written to a row
/// would have to reach the cache before other vectors of it can be read.
template <class Real>
TRADEWIND_INLINE void read_rows(const Real* values, Rows<Real>& rows, std::vector<double>& sums) {
    const RowShape shape = rows.shape();
    const std::int64_t rest = shape.directions % lanes<Real>;
    // Selects the lanes of the last vector that are in no other one.
    Real new_lanes[lanes<Real>];
    for (std::int64_t n = 0; n < lanes<Real>; ++n)
        new_lanes[n] = n >= lanes<Real> - rest ? Real(1) : Real(0);
    const Vector<Real> is_new = at(new_lanes);
    double* const all = sums.data();
    for (std::int64_t m = 0; m < shape.frequencies; ++m) {
        const Real* const from = values + m * shape.directions;
        Real* const row = rows[m];
        Vector<Real> sum{};
        Vector<Real> last;
        copy_row(shape.directions, from, row, sum, last);
        for (std::int64_t k = 0; k < shape.halo; k += lanes<Real>) {
            at(row + shape.directions + k) = at(from + k);
            at(row - shape.halo + k) = at(from + shape.directions - shape.halo + k);
        }
        sum += last * is_new;
        all[m] = double(total<Real>(sum));
    }
}

template <class Real>
TRADEWIND_INLINE void write_rows(const Rows<Real>& rows, Real* values) {
    const RowShape shape = rows.shape();
    Vector<Real> sum{};
    Vector<Real> last;
    for (std::int64_t m = 0; m < shape.frequencies; ++m)
        copy_row(shape.directions, rows[m], values + m * shape.directions, sum, last);
}

template <class Real>
TRADEWIND_INLINE void multiply_rows(Rows<Real>& rows, double factor) {
    const RowShape& shape = rows.shape();
    Real* const all = rows[0] - shape.halo;
    for (std::int64_t k = 0; k < shape.frequencies * shape.stride; k += lanes<Real>)
        at(all + k) = Real(factor) * at(all + k);
}

}  // namespace

TRADEWIND_CLONES
void read_spectrum(const float* values, Rows<float>& rows, std::vector<double>& sums) {
    read_rows(values, rows, sums);
}
TRADEWIND_CLONES
void read_spectrum(const double* values, Rows<double>& rows, std::vector<double>& sums) {
    read_rows(values, rows, sums);
}
TRADEWIND_CLONES
void write_spectrum(const Rows<float>& rows, float* values) {
    write_rows(rows, values);
}
TRADEWIND_CLONES
void write_spectrum(const Rows<double>& rows, double* values) {
    write_rows(rows, values);
}
TRADEWIND_CLONES
void scale_rows(Rows<float>& rows, double factor) {
    multiply_rows(rows, factor);
}
TRADEWIND_CLONES
void scale_rows(Rows<double>& rows, double factor) {
    multiply_rows(rows, factor);
}

}  // namespace tradewind::fvwam
