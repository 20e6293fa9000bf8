#include "tradewind/models/fvwam/sources/spectrum_rows.hpp"

namespace tradewind::fvwam {

namespace {

/// Copies one row, and adds its whole vectors to `sum`.
template <class Real>
TRADEWIND_INLINE void copy_row(std::int64_t directions, const Real* from, Real* to,
                               Vector<Real>& sum) {
    std::int64_t k = 0;
    for (; k + lanes<Real> <= directions; k += lanes<Real>) {
        const Vector<Real> values = at(from + k);
        at(to + k) = values;
        sum += values;
    }
    for (; k < directions; ++k) to[k] = from[k];
}

template <class Real>
TRADEWIND_INLINE void read_rows(const Real* values, Rows<Real>& rows, std::vector<double>& sums) {
    const RowShape& shape = rows.shape();
    const std::int64_t whole = shape.directions / lanes<Real> * lanes<Real>;
    for (std::int64_t m = 0; m < shape.frequencies; ++m) {
        Vector<Real> sum{};
        Real* const row = rows[m];
        copy_row(shape.directions, values + m * shape.directions, row, sum);
        Real all = total<Real>(sum);
        for (std::int64_t k = whole; k < shape.directions; ++k) all += row[k];
        sums[std::size_t(m)] = double(all);
        fill_halo(shape, row);
    }
}

template <class Real>
TRADEWIND_INLINE void write_rows(const Rows<Real>& rows, Real* values) {
    const RowShape& shape = rows.shape();
    Vector<Real> sum{};
    for (std::int64_t m = 0; m < shape.frequencies; ++m)
        copy_row(shape.directions, rows[m], values + m * shape.directions, sum);
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
