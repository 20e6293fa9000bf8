/// PerWorker: one record for each worker of this process.
#pragma once

#include <memory>
#include <vector>

#include "tradewind/sim/kernel/worker.hpp"

namespace tradewind::sim {

/// The records of the workers, each written by its own worker only. Records that are aligned to 64
/// bytes share no cache line.
template <class Record>
class PerWorker {
public:
    /// Makes every record from the same arguments.
    template <class... Arguments>
    explicit PerWorker(int workers, const Arguments&... arguments) {
        for (int i = 0; i < workers; ++i)
            records_.push_back(std::make_unique<Record>(arguments...));
    }

    [[nodiscard]] Record& operator[](const Worker& worker) const noexcept {
        return *records_[std::size_t(worker.index())];
    }
    [[nodiscard]] Record& at(int worker) const noexcept { return *records_[std::size_t(worker)]; }
    [[nodiscard]] const std::vector<std::unique_ptr<Record>>& all() const noexcept {
        return records_;
    }

private:
    std::vector<std::unique_ptr<Record>> records_;
};

}  // namespace tradewind::sim
