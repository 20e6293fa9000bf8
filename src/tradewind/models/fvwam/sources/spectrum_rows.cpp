#include "tradewind/models/fvwam/sources/spectrum_rows.hpp"

namespace tradewind::fvwam {

namespace {

/// Reads one vector, with 0 for values that are too small.
template <class Real>
TRADEWIND_INLINE void read(const Real* from, Vector<Real>& values) {
    const Vector<Real> all = at(from);
    values = all > Real(least_density) ? all : Vector<Real>{};
}

/// Copies rows with halos. These come from the spectrum as well: what was just written to a row
/// would have to reach the cache before other vectors of it can be read. The last vector overlaps
/// the one before.
template <class Real>
TRADEWIND_INLINE void read_rows(const Real* values, Rows<Real>& rows, std::vector<double>& sums) {
    const RowShape shape = rows.shape();
    const std::int64_t rest = shape.directions % lanes<Real>;
    const std::int64_t last = shape.directions - lanes<Real>;
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
        Vector<Real> here;
        for (std::int64_t k = 0; k <= last; k += lanes<Real>) {
            read(from + k, here);
            at(row + k) = here;
            sum += here;
        }
        read(from + last, here);
        at(row + last) = here;
        sum += here * is_new;
        for (std::int64_t k = 0; k < shape.halo; k += lanes<Real>) {
            read(from + k, here);
            at(row + shape.directions + k) = here;
            read(from + shape.directions - shape.halo + k, here);
            at(row - shape.halo + k) = here;
        }
        all[m] = double(total<Real>(sum));
    }
}

template <class Real>
TRADEWIND_INLINE void write_rows(const Rows<Real>& rows, Real* values) {
    const RowShape shape = rows.shape();
    const std::int64_t last = shape.directions - lanes<Real>;
    for (std::int64_t m = 0; m < shape.frequencies; ++m) {
        const Real* const row = rows[m];
        Real* const to = values + m * shape.directions;
        for (std::int64_t k = 0; k <= last; k += lanes<Real>) at(to + k) = at(row + k);
        at(to + last) = at(row + last);
    }
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
