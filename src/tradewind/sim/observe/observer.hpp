/// Observer: one worker's record of the messages that were delivered at its locations.
#pragma once

#include <algorithm>

#include "tradewind/sim/network/message.hpp"
#include "tradewind/sim/observe/report.hpp"

namespace tradewind::sim {

class Observer {
public:
    explicit Observer(const ObserveParameters& parameters) : parameters_(parameters) {
        const auto cells =
            std::size_t(parameters.matrix_bins) * std::size_t(parameters.matrix_bins);
        matrices_ = {parameters.matrix_bins, std::vector<Bytes>(cells),
                     std::vector<Picoseconds>(cells), std::vector<std::int64_t>(cells)};
        const auto ranks = std::max<std::int64_t>(parameters.ranks, 1);
        cells_per_rank_ = double(parameters.matrix_bins) / double(ranks);
        if (parameters.timeline_records > 0) {
            kept_.resize(std::size_t(std::min(ranks, parameters.timeline_records)));
            records_per_rank_ = std::max<std::int64_t>(parameters.timeline_records / ranks, 1);
        }
    }

    /// Records a message: its delay is what it took beyond the time `alone`. The rounding of paces
    /// may make it a little faster than that, which counts as no delay. Nothing is faster than
    /// `least`; the report tells by how much it was, and `complete` refuses that.
    void delivered(const Message& message, Picoseconds alone, Picoseconds least) {
        const Picoseconds taken = message.arrival - message.start;
        too_early_ = std::max(too_early_, least - taken);
        const Picoseconds delay = std::max(taken - alone, Picoseconds{0});
        delays_.add(delay);
        bytes_ += message.size;
        if (matrices_.bins > 0) add_to_matrices(message, delay);
        if (message.destination_rank < kept_.size() &&
            kept_[message.destination_rank]++ < records_per_rank_) {
            timeline_.push_back({message.source_rank, message.destination_rank, message.size,
                                 message.start, message.arrival, delay});
        }
    }

    void merge_into(NetworkReport& report) const {
        report.delay.merge(delays_);
        report.too_early = std::max(report.too_early, too_early_);
        report.messages += delays_.count();
        report.bytes += bytes_;
        report.timeline.insert(report.timeline.end(), timeline_.begin(), timeline_.end());
        if (report.matrices.bytes.empty()) {
            report.matrices = matrices_;
            return;
        }
        add(matrices_.bytes, report.matrices.bytes);
        add(matrices_.delay, report.matrices.delay);
        add(matrices_.messages, report.matrices.messages);
    }

private:
    void add_to_matrices(const Message& message, Picoseconds delay) {
        const auto last = matrices_.bins - 1;
        const auto row = std::min(std::int32_t(message.source_rank * cells_per_rank_), last);
        const auto column =
            std::min(std::int32_t(message.destination_rank * cells_per_rank_), last);
        const auto cell = std::size_t(row) * std::size_t(matrices_.bins) + std::size_t(column);
        matrices_.bytes[cell] += message.size;
        matrices_.delay[cell] += delay;
        matrices_.messages[cell] += 1;
    }
    static void add(const std::vector<std::int64_t>& from, std::vector<std::int64_t>& to) {
        for (std::size_t i = 0; i < from.size(); ++i) to[i] += from[i];
    }

    ObserveParameters parameters_;
    double cells_per_rank_ = 0.0;
    Histogram delays_;
    Bytes bytes_ = 0;
    Picoseconds too_early_ = 0;
    Matrices matrices_;
    std::vector<std::int64_t> kept_;
    std::int64_t records_per_rank_ = 0;
    std::vector<TimelineRecord> timeline_;
};

}  // namespace tradewind::sim
