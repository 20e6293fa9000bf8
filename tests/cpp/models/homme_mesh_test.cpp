/// The cubed sphere: areas, neighbours, shared points, the curve, quadrature.
#include <cmath>
#include <map>
#include <numbers>
#include <set>

#include "testing.hpp"
#include "tradewind/models/homme/levels.hpp"
#include "tradewind/models/homme/mesh/geometry.hpp"
#include "tradewind/models/homme/mesh/partition.hpp"

using namespace tradewind;
using namespace tradewind::homme;

namespace {

constexpr double sphere = 4 * std::numbers::pi;

/// Integrates `value(point)` over the sphere.
template <class Value>
double integral(std::int64_t ne, int np, const Value& value) {
    const CubedSphere mesh(ne);
    const GaussLobatto rule(np);
    const CubeGeometry geometry(mesh, rule);
    double sum = 0.0;
    for (std::int64_t e = 0; e < mesh.elements(); ++e) {
        for (int j = 0; j < np; ++j) {
            for (int i = 0; i < np; ++i) {
                const PointGeometry point = geometry.point(e, i, j);
                sum += rule.weights[std::size_t(i)] * rule.weights[std::size_t(j)] * point.area *
                       value(point);
            }
        }
    }
    return sum;
}

using Position = std::array<long, 3>;

Position rounded(const PointGeometry& point) {
    Position position{};
    for (std::size_t c = 0; c < 3; ++c) position[c] = std::lround(point.position[c] * 1e9);
    return position;
}

}  // namespace

TEST_CASE("Gauss-Lobatto nodes and weights are those of the literature") {
    const GaussLobatto four(4);
    CHECK(std::abs(four.nodes[1] + 1 / std::sqrt(5.0)) < 1e-15);
    CHECK(std::abs(four.weights[0] - 1.0 / 6) < 1e-15);
    const GaussLobatto six(6);
    CHECK(std::abs(six.nodes[1] + 0.765055323929465) < 1e-14);
    CHECK(std::abs(six.nodes[2] + 0.285231516480645) < 1e-14);
    CHECK(std::abs(six.weights[1] - 0.378474956297847) < 1e-14);
    CHECK(std::abs(six.weights[2] - 0.554858377035486) < 1e-14);
}

TEST_CASE("quadrature and derivatives are exact for polynomials") {
    for (const int np : {2, 3, 4, 5, 6, 7, 8}) {
        CAPTURE(np);
        const GaussLobatto rule(np);
        for (int degree = 0; degree <= 2 * np - 3; ++degree) {
            double sum = 0.0;
            for (std::size_t i = 0; i < std::size_t(np); ++i)
                sum += rule.weights[i] * std::pow(rule.nodes[i], degree);
            CHECK(std::abs(sum - (degree % 2 == 0 ? 2.0 / (degree + 1) : 0.0)) < 1e-14);
        }
        for (int degree = 1; degree < np; ++degree) {
            for (int i = 0; i < np; ++i) {
                double slope = 0.0;
                for (int k = 0; k < np; ++k)
                    slope += rule.derivative(i, k) * std::pow(rule.nodes[std::size_t(k)], degree);
                const double exact = degree * std::pow(rule.nodes[std::size_t(i)], degree - 1);
                CHECK(std::abs(slope - exact) < 1e-13);
            }
        }
    }
}

TEST_CASE("areas of the cubed sphere are those of the reference table") {
    struct Row {
        std::int64_t ne;
        int np;
        double error;
        double ratio;
    };
    for (const Row& row :
         {Row{4, 4, 8.750e-8, 1.1994}, Row{8, 4, 1.536e-9, 1.2779}, Row{16, 4, 2.458e-11, 1.3451},
          Row{30, 4, 5.684e-13, 1.3772}, Row{6, 6, -3.5e-14, 1.2520}}) {
        CAPTURE(row.ne, row.np);
        const CubedSphere mesh(row.ne);
        const GaussLobatto rule(row.np);
        const CubeGeometry geometry(mesh, rule);
        double sum = 0.0;
        double smallest = sphere;
        double largest = 0.0;
        std::set<Position> nodes;
        for (std::int64_t e = 0; e < mesh.elements(); ++e) {
            double area = 0.0;
            for (int j = 0; j < row.np; ++j) {
                for (int i = 0; i < row.np; ++i) {
                    const PointGeometry point = geometry.point(e, i, j);
                    CHECK(point.area > 0.0);
                    area +=
                        rule.weights[std::size_t(i)] * rule.weights[std::size_t(j)] * point.area;
                    nodes.insert(rounded(point));
                }
            }
            sum += area;
            smallest = std::min(smallest, area);
            largest = std::max(largest, area);
        }
        const double error = sum / sphere - 1;
        CHECK(std::abs(error - row.error) < 1e-3 * std::abs(row.error) + 2e-14);
        CHECK(std::abs(largest / smallest - row.ratio) < 1e-4);
        const std::int64_t unique = 6 * row.ne * row.ne * (row.np - 1) * (row.np - 1) + 2;
        CHECK(std::int64_t(nodes.size()) == unique);
    }
}

TEST_CASE("integrals over the sphere converge to their exact values") {
    const double third = integral(
        8, 4, [](const PointGeometry& point) { return point.position[2] * point.position[2]; });
    CHECK(std::abs(third / (sphere / 3) - 1) < 1e-8);
    const double odd = integral(8, 6, [](const PointGeometry& point) {
        return point.position[0] * point.position[1] + point.position[2];
    });
    CHECK(std::abs(odd) < 1e-13);
}

TEST_CASE("neighbours agree on their common points") {
    for (const std::int64_t ne : {1, 2, 3, 4, 7}) {
        for (const ReceivedAs arrival : {ReceivedAs::own_points, ReceivedAs::traces}) {
            CAPTURE(ne, int(arrival));
            const CubedSphere mesh(ne);
            const int np = 4;
            const GaussLobatto rule(np);
            const CubeGeometry geometry(mesh, rule);
            const auto at = [&](std::int64_t e, std::int32_t point) {
                return rounded(geometry.point(e, point % np, point / np));
            };
            std::int64_t corners = 0;
            for (std::int64_t e = 0; e < mesh.elements(); ++e) {
                const auto shares =
                    shares_of(mesh, e, np, Connectivity::edges_and_corners, arrival);
                for (std::size_t n = 0; n < shares.size(); ++n) {
                    const auto others = shares_of(mesh, shares[n].item, np,
                                                  Connectivity::edges_and_corners, arrival);
                    const auto& other = others.at(std::size_t(shares[n].share));
                    CHECK(other.item == e);
                    CHECK(std::size_t(other.share) == n);
                    CHECK(other.sends.size() == shares[n].receives.size());
                    for (std::size_t k = 0; k < other.sends.size(); ++k)
                        CHECK(at(e, shares[n].sends[k]) == at(shares[n].item, other.sends[k]));
                }
                corners += std::int64_t(shares.size()) - edge_sides;
            }
            CHECK(corners == 4 * mesh.elements() - 24);
        }
    }
}

TEST_CASE("the curve visits every element once, each beside the one before") {
    for (const std::int64_t ne : {1, 2, 3, 4, 5, 6, 8, 9, 12, 15, 16, 30}) {
        CAPTURE(ne);
        const CubedSphere mesh(ne);
        std::set<std::array<std::int64_t, 3>> seen;
        std::int64_t diagonal = 0;
        for (std::int64_t e = 0; e < mesh.elements(); ++e) {
            const ElementPlace place = mesh.place(e);
            seen.insert({place.face, place.i, place.j});
            CHECK(mesh.element(place) == e);
            if (e == 0) continue;
            bool touches = false;
            for (int side = 0; side < sides; ++side) {
                const auto neighbor = mesh.neighbor(e, side);
                if (!neighbor || neighbor->element != e - 1) continue;
                touches = true;
                diagonal += side >= edge_sides;
            }
            CHECK(touches);
        }
        CHECK(std::int64_t(seen.size()) == mesh.elements());
        CHECK(diagonal <= (ne % 2 == 0 ? 0 : 6));
    }
}

TEST_CASE("locating a point of the sphere finds its element and coordinates") {
    const CubedSphere mesh(5);
    const GaussLobatto rule(4);
    const CubeGeometry geometry(mesh, rule);
    for (std::int64_t e = 0; e < mesh.elements(); e += 7) {
        const auto found = geometry.locate(geometry.point_at(e, 0.3, -0.7).position);
        CHECK(found.element == e);
        CHECK(std::abs(found.x - 0.3) < 1e-12);
        CHECK(std::abs(found.y + 0.7) < 1e-12);
    }
}

TEST_CASE("metric terms are the derivatives of the map") {
    const CubedSphere mesh(3);
    const GaussLobatto rule(4);
    const CubeGeometry geometry(mesh, rule);
    for (std::int64_t e = 0; e < mesh.elements(); ++e) {
        const PointGeometry here = geometry.point_at(e, 0.2, 0.4);
        const double small = 1e-6;
        const PointGeometry east = geometry.point_at(e, 0.2 + small, 0.4);
        const PointGeometry west = geometry.point_at(e, 0.2 - small, 0.4);
        double length = 0.0;
        for (std::size_t c = 0; c < 3; ++c)
            length += std::pow((east.position[c] - west.position[c]) / (2 * small), 2);
        const Matrix2& d = here.to_sphere;
        CHECK(std::abs(std::sqrt(length) - std::hypot(d[0], d[2])) < 1e-8);
        const double northward = (east.latitude - west.latitude) / (2 * small);
        CHECK(std::abs(northward - d[2]) < 1e-8);
    }
}

TEST_CASE("hybrid levels add up to the surface pressure") {
    for (const std::int64_t count : {1, 10, 26, 52}) {
        const HybridLevels levels = hybrid_levels(count);
        double pressure = levels.top();
        for (std::int64_t k = 0; k < levels.count(); ++k) {
            CHECK(levels.thickness(k, 1e5) > 0.0);
            pressure += levels.thickness(k, 9.7e4);
        }
        CHECK(std::abs(pressure - 9.7e4) < 1e-9);
    }
}
