/// The programs of all layers in one interface: communication patterns, and models without data.
#pragma once

#include <nanobind/nanobind.h>

#include <optional>

#include "tradewind/models/catalogue.hpp"
#include "tradewind/simcomm/assemble.hpp"
#include "tradewind/skeleton/program.hpp"

namespace tradewind::bindings {

/// The program that the section `program` describes, which may be a model.
class GivenProgram {
public:
    explicit GivenProgram(const simcomm::Sections& sections);

    [[nodiscard]] Rank ranks() const noexcept { return ranks_; }
    [[nodiscard]] Program make() const;
    [[nodiscard]] skeleton::Estimate estimate() const;
    [[nodiscard]] std::vector<OperationUse> operations() const;
    /// Returns one remark for each operation that uses a case tuned for another number of ranks.
    [[nodiscard]] std::vector<std::string> tuning_remarks() const;
    /// Returns the process grid of a program that has one and reports it; pstswm does not report
    /// it.
    [[nodiscard]] std::optional<ProcessGrid> processes() const;

private:
    std::string name_;
    Rank ranks_;
    Settings settings_;
    /// The model; null for a communication pattern.
    const models::ModelEntry* model_;
};

/// Returns the names and summaries of all programs.
[[nodiscard]] nanobind::list programs();

}  // namespace tradewind::bindings
