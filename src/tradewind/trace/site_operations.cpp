/// The operation of each call, and the distance between names of call sites.
#include "tradewind/trace/site_operations.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <numeric>
#include <tuple>
#include <utility>
#include <vector>

#include "tradewind/base/errors.hpp"
#include "tradewind/trace/call.hpp"

namespace tradewind::trace {

namespace {

constexpr std::size_t most_sites = 5;

struct CallOperations {
    Call call;
    std::string_view operation;
    /// The operations to rank 0 and from it of which a library makes the call.
    std::string_view to_root;
    std::string_view from_root;
};
constexpr CallOperations call_operations[] = {
    {Call::barrier, "barrier", "", ""},
    {Call::fence, "barrier", "", ""},
    {Call::bcast, "bcast", "", ""},
    {Call::reduce, "reduce", "", ""},
    {Call::gather, "gather", "", ""},
    {Call::scatter, "scatter", "", ""},
    {Call::scan, "scan", "", ""},
    {Call::exscan, "scan", "", ""},
    {Call::reduce_scatter, "reduce_scatter", "reduce", ""},
    {Call::reduce_scatter_block, "reduce_scatter", "reduce", "scatter"},
    {Call::allreduce, "allreduce", "reduce", "bcast"},
    {Call::allgather, "allgather", "", ""},
    {Call::allgatherv, "allgather", "", "bcast"},
    {Call::alltoall, "alltoallv", "", ""},
    {Call::alltoallv, "alltoallv", "", ""},
    {Call::neighbor_allgatherv, "neighbor", "", ""},
    {Call::neighbor_alltoallv, "neighbor", "", ""},
};

/// Returns the file and the line of a site such as "solver.f90:212"; -1 where it has no line.
[[nodiscard]] std::pair<std::string_view, std::int64_t> place_of(std::string_view site) {
    const std::size_t colon = std::min(site.rfind(':'), site.size());
    std::int64_t line = -1;
    if (colon < site.size()) {
        const auto [end, error] =
            std::from_chars(site.data() + colon + 1, site.data() + site.size(), line);
        if (error != std::errc() || end != site.data() + site.size()) line = -1;
    }
    return {site.substr(0, colon), line};
}

/// Returns how many letters must be put in, left out or replaced to make one text of another.
[[nodiscard]] std::size_t edits_between(std::string_view one, std::string_view other) {
    std::vector<std::size_t> row(other.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 1; i <= one.size(); ++i) {
        std::size_t diagonal = std::exchange(row[0], i);
        for (std::size_t j = 1; j <= other.size(); ++j) {
            const std::size_t replaced = diagonal + std::size_t{one[i - 1] != other[j - 1]};
            diagonal = row[j];
            row[j] = std::min({row[j - 1] + 1, row[j] + 1, replaced});
        }
    }
    return row.back();
}

}  // namespace

SiteOperations operations_at_sites(const TraceView& trace, ChoiceRules rules) {
    SiteOperations found;
    for (std::size_t at = 0; at < trace.events.size(); at += event_size) {
        const Numbers event = trace.events.subspan(at, event_size);
        const auto* const known =
            std::ranges::find(call_operations, Call(event[0]), &CallOperations::call);
        const std::int64_t site = event[3];
        const bool is_named = site >= 0 && std::size_t(site) + 1 < trace.string_first.size();
        if (!is_named || known == std::end(call_operations)) continue;
        std::set<std::string_view>& own = found[site];
        own.insert(known->operation);
        if (rules == ChoiceRules::none) continue;
        for (const std::string_view part : {known->to_root, known->from_root})
            if (!part.empty()) own.insert(part);
    }
    return found;
}

std::string nearest_sites(std::string_view site, const SiteOperations& known,
                          const std::vector<std::string>& strings) {
    const auto [file, line] = place_of(site);
    std::vector<std::tuple<std::size_t, std::int64_t, std::string>> found;
    for (const auto& [number, operations] : known) {
        const std::string& other = strings[std::size_t(number)];
        const auto [other_file, other_line] = place_of(other);
        std::string words = text('"', other, "\" (");
        for (const std::string_view operation : operations)
            words += text(operation == *operations.begin() ? "" : ", ", operation);
        found.emplace_back(edits_between(file, other_file), std::abs(line - other_line),
                           words + ")");
    }
    std::ranges::sort(found);
    std::string result;
    for (std::size_t i = 0; i < std::min(found.size(), most_sites); ++i)
        result += text(i == 0 ? "" : ", ", std::get<2>(found[i]));
    return result;
}

}  // namespace tradewind::trace
