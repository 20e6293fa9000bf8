/// The programs of all layers under one roof: communication patterns, and models without data.
#pragma once

#include <nanobind/nanobind.h>

#include <optional>

#include "tradewind/models/catalogue.hpp"
#include "tradewind/simcomm/assemble.hpp"
#include "tradewind/skeleton/program.hpp"

namespace tradewind::bindings {

/// What the section `program` describes; a model may stand in it as well.
class GivenProgram {
public:
    explicit GivenProgram(const simcomm::Sections& sections);

    [[nodiscard]] Rank ranks() const noexcept { return ranks_; }
    [[nodiscard]] Program make() const;
    [[nodiscard]] skeleton::Estimate estimate() const;
    [[nodiscard]] std::vector<OperationUse> operations() const;
    /// Where a run takes what was tuned for another number of ranks.
    [[nodiscard]] std::vector<std::string> tuning_remarks() const;
    /// The process grid of a program that has one and says so by itself: pstswm does not.
    [[nodiscard]] std::optional<ProcessGrid> processes() const;

private:
    std::string name_;
    Rank ranks_;
    Settings settings_;
    /// Null for a communication pattern.
    const models::ModelEntry* model_;
};

/// Names and summaries.
[[nodiscard]] nanobind::list programs();

}  // namespace tradewind::bindings
