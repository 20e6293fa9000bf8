/// The vectors of GCR(k) and of pipelined GCR(k).
#include "tradewind/models/helmholtz/directions.hpp"

namespace tradewind::helmholtz {

namespace {

/// Two blocking reductions per iteration.
struct GcrVectors final : Iteration {
    GcrVectors(const HelmholtzPlan& plan, Rank rank, Solution* fill)
        : Iteration(plan, rank, fill, 2), u(r), w(r) {
        operands = {&r, &u, &w};
    }

    /// Computes <w, s_j> for each direction.
    [[nodiscard]] Work project() override {
        products.clear();
        for (std::int64_t j = 0; j < known.count(); ++j) products.push_back(dot(w, known.at(1, j)));
        return vector_work(operators, known.count());
    }

    /// Makes the next direction, orthogonal to the last ones; computes eta, gamma and <r, r>.
    [[nodiscard]] Work extend() override {
        const std::int64_t count = known.count();
        for (std::int64_t j = 0; j < count; ++j) products[std::size_t(j)] /= -known.eta(j);
        const Vector* const start[] = {&u, &w};
        known.make(start, products);
        const Vector& s = known.newest(1);
        products = {dot(s, s), dot(r, s), dot(r, r)};
        return vector_work(operators, 2 * count + 3);
    }

    [[nodiscard]] Work update() override {
        known.keep_eta(products[0]);
        const double alpha = products[1] / products[0];
        add(alpha, known.newest(0), x);
        add(-alpha, known.newest(1), r);
        note(products[2], products[2] - alpha * products[1]);
        return vector_work(operators, 2);
    }

    Vector u;
    Vector w;
};

/// One reduction per iteration.
struct PipelinedVectors final : Iteration {
    PipelinedVectors(const HelmholtzPlan& plan, Rank rank, Solution* fill)
        : Iteration(plan, rank, fill, 4), z(r), w(r), m(r), n(r) {
        operands = {&r, &z, &w};
    }

    /// Computes <w, s_j> for each direction, then gamma, delta and <r, r>.
    [[nodiscard]] Work project() override {
        operands = {&w, &m, &n};
        products.clear();
        for (std::int64_t j = 0; j < known.count(); ++j) products.push_back(dot(w, known.at(1, j)));
        products.push_back(dot(r, w));
        products.push_back(dot(w, w));
        products.push_back(dot(r, r));
        return vector_work(operators, std::int64_t(products.size()));
    }

    /// Makes the next direction and takes the step along it.
    [[nodiscard]] Work update() override {
        const auto directions = std::size_t(known.count());
        const double gamma = products[directions];
        const double norm = products[directions + 2];
        const double eta = orthogonalise();
        const Vector* const start[] = {&z, &w, &m, &n};
        const std::int64_t count = known.count();
        known.make(start, products);
        known.keep_eta(eta);
        const double alpha = gamma / eta;
        add(alpha, known.newest(0), x);
        add(-alpha, known.newest(1), r);
        add(-alpha, known.newest(2), z);
        add(-alpha, known.newest(3), w);
        note(norm, norm - alpha * gamma);
        return vector_work(operators, 4 * count + 4);
    }

    /// Turns the sums into beta and returns eta. Forgets all directions if rounding has made eta
    /// negative.
    [[nodiscard]] double orthogonalise() {
        const auto count = std::size_t(known.count());
        const double delta = products[count + 1];
        double eta = delta;
        for (std::size_t j = 0; j < count; ++j) {
            const double eta_j = known.eta(std::int64_t(j));
            products[j] /= -eta_j;
            eta -= products[j] * products[j] * eta_j;
        }
        if (eta > 0.0 || !operators.is_real()) return eta;
        known.forget();
        return delta;
    }

    Vector z;
    Vector w;
    Vector m;
    Vector n;
};

}  // namespace

std::unique_ptr<Iteration> make_iteration(const HelmholtzPlan& plan, Rank rank, Solution* fill) {
    if (plan.method == Method::gcr) return std::make_unique<GcrVectors>(plan, rank, fill);
    return std::make_unique<PipelinedVectors>(plan, rank, fill);
}

}  // namespace tradewind::helmholtz
