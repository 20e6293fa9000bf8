/// The union of the results of workers and processes.
#include "tradewind/simcomm/run_result.hpp"

#include <algorithm>
#include <tuple>

#include "tradewind/simcomm/joint.hpp"

namespace tradewind::simcomm {

namespace {

void write_log(ByteArray& out, const PhaseLog& log) {
    write(out, log.phases.size());
    for (const PhaseRecord& phase : log.phases) {
        write(out, phase.name);
        write(out, static_cast<const PhaseTimes&>(phase));
    }
    write(out, log.marks);
}

[[nodiscard]] PhaseLog read_log(ByteReader& in) {
    PhaseLog log;
    log.phases.resize(in.next<std::size_t>());
    for (PhaseRecord& phase : log.phases) {
        in.read(phase.name);
        in.read(static_cast<PhaseTimes&>(phase));
    }
    in.read(log.marks);
    return log;
}

void append_marks(PhaseLog& whole, const PhaseLog& part) {
    for (PhaseMark mark : part.marks) {
        const auto& name = part.phases[std::size_t(mark.phase)].name;
        const auto found = std::ranges::find(whole.phases, name, &PhaseRecord::name);
        mark.phase = std::int32_t(found - whole.phases.begin());
        whole.marks.push_back(mark);
    }
}

}  // namespace

PhaseLog join(std::span<const PhaseLog> parts) {
    PhaseLog whole;
    for (const PhaseLog& part : parts) {
        for (const PhaseRecord& phase : part.phases) {
            const auto found = std::ranges::find(whole.phases, phase.name, &PhaseRecord::name);
            if (found == whole.phases.end()) {
                whole.phases.push_back(phase);
            } else {
                found->merge(phase);
            }
        }
    }
    std::ranges::sort(whole.phases, {},
                      [](const PhaseRecord& phase) { return std::tie(phase.first, phase.name); });
    for (const PhaseLog& part : parts) append_marks(whole, part);
    // Those of one rank are in order already.
    std::ranges::stable_sort(whole.marks, {}, [](const PhaseMark& mark) {
        return std::tuple(mark.begin, mark.rank, mark.end);
    });
    return whole;
}

RunTotals sum(sim::ProcessGroup& group, const RunTotals& mine) {
    ByteArray out;
    write(out, mine);
    RunTotals whole;
    for (const ByteArray& part : allgather(group, out))
        whole.merge(ByteReader(part).next<RunTotals>());
    return whole;
}

void join_processes(sim::ProcessGroup& group, RunResult& mine) {
    ByteArray part;
    if (group.process() != 0) {
        write_log(part, mine);
        sim::write(part, mine.network);
        write(part, mine.memory_bytes);
        write(part, mine.frame_bytes);
    }
    const auto parts = gather(group, part);
    if (group.process() != 0) return;
    std::vector<PhaseLog> logs{static_cast<const PhaseLog&>(mine)};
    for (std::size_t i = 1; i < parts.size(); ++i) {
        ByteReader in(parts[i]);
        logs.push_back(read_log(in));
        sim::NetworkReport network;
        sim::read(in, network);
        sim::merge(mine.network, network);
        mine.memory_bytes += in.next<std::size_t>();
        mine.frame_bytes += in.next<std::size_t>();
    }
    static_cast<PhaseLog&>(mine) = join(logs);
}

}  // namespace tradewind::simcomm
