/// The table of MPI libraries whose rules are known.
#include "tradewind/trace/collectives/library_rules.hpp"

#include <algorithm>

#include "tradewind/base/errors.hpp"
#include "tradewind/trace/collectives/library_rows.hpp"

namespace tradewind::trace {

namespace {

struct LibraryRow {
    ChoiceRules rules;
    std::span<const OperationRow> (*rows)() noexcept;
    std::size_t (*choice)(Call call, Rank ranks, Bytes bytes) noexcept;
};

constexpr LibraryRow libraries[] = {
    {ChoiceRules::mpich, mpich_rows, mpich_choice},
    {ChoiceRules::openmpi, openmpi_rows, openmpi_choice},
};

}  // namespace

std::span<const std::string_view> algorithms_by(ChoiceRules rules, std::string_view operation) {
    const auto library = std::ranges::find(libraries, rules, &LibraryRow::rules);
    if (library != std::end(libraries)) {
        const auto rows = library->rows();
        const auto row = std::ranges::find(rows, operation, &OperationRow::operation);
        if (row != rows.end()) return row->algorithms;
    }
    throw Error(text("no library has rules for ", operation));
}

std::size_t choice_by(ChoiceRules rules, Call call, Rank ranks, Bytes bytes) noexcept {
    const auto library = std::ranges::find(libraries, rules, &LibraryRow::rules);
    return library == std::end(libraries) ? 0 : library->choice(call, ranks, bytes);
}

}  // namespace tradewind::trace
