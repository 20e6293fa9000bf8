/// Errors and arrays that go from one process to others.
#include "tradewind/simcomm/joint.hpp"

#include <algorithm>
#include <new>

#include "tradewind/base/errors.hpp"

namespace tradewind::simcomm {

namespace {

/// The classes of errors that keep their class on other processes; derived ones first.
enum class Fault : std::uint8_t { topology, config, deadlock, interrupted, mpi, other };

template <class Exception>
[[nodiscard]] ByteArray described(Fault fault, const Exception& error) {
    ByteArray out;
    write(out, fault);
    write(out, std::string(error.what()));
    return out;
}

[[nodiscard]] ByteArray described(const std::exception_ptr& error) {
    try {
        std::rethrow_exception(error);
    } catch (const TopologyError& known) {
        return described(Fault::topology, known);
    } catch (const ConfigError& known) {
        return described(Fault::config, known);
    } catch (const DeadlockError& known) {
        return described(Fault::deadlock, known);
    } catch (const Interrupted& known) {
        return described(Fault::interrupted, known);
    } catch (const MpiError& known) {
        return described(Fault::mpi, known);
    } catch (const std::exception& known) {
        return described(Fault::other, known);
    } catch (...) {
        return described(Fault::other, Error("an exception of an unknown class"));
    }
}

[[noreturn]] void rethrow(const ByteArray& description) {
    ByteReader in(description);
    const auto fault = in.next<Fault>();
    std::string what;
    in.read(what);
    switch (fault) {
        case Fault::topology:
            throw TopologyError(what);
        case Fault::config:
            throw ConfigError(what);
        case Fault::deadlock:
            throw DeadlockError(what);
        case Fault::interrupted:
            throw Interrupted(what);
        case Fault::mpi:
            throw MpiError(what);
        case Fault::other:
            break;
    }
    throw Error(what);
}

[[nodiscard]] std::vector<ByteArray> exchange_arrays(sim::ProcessGroup& group,
                                                     const std::vector<ByteArray>& out) {
    std::vector<std::int64_t> numbers(out.size());
    std::vector<ByteArray> in(out.size());
    group.exchange(0, out, numbers, in);
    return in;
}

}  // namespace

void run_collectively(sim::ProcessGroup* group, const std::function<void()>& part) {
    if (group == nullptr) return part();
    std::exception_ptr mine;
    try {
        part();
    } catch (const std::bad_alloc&) {
        mine = std::make_exception_ptr(Error(
            text("process ", group->process(), " of ", group->processes(), ": not enough memory")));
    } catch (...) {
        mine = std::current_exception();
    }
    const auto errors = allgather(*group, mine ? described(mine) : ByteArray{});
    const auto first =
        std::ranges::find_if(errors, [](const ByteArray& error) { return !error.empty(); });
    if (first == errors.end()) return;
    if (first - errors.begin() == group->process()) std::rethrow_exception(mine);
    rethrow(*first);
}

std::vector<ByteArray> gather(sim::ProcessGroup& group, const ByteArray& mine) {
    std::vector<ByteArray> out(std::size_t(group.processes()));
    out[0] = mine;
    auto in = exchange_arrays(group, out);
    if (group.process() == 0) in[0] = mine;
    return in;
}

std::vector<ByteArray> allgather(sim::ProcessGroup& group, const ByteArray& mine) {
    const std::vector<ByteArray> out(std::size_t(group.processes()), mine);
    auto in = exchange_arrays(group, out);
    in[std::size_t(group.process())] = mine;
    return in;
}

}  // namespace tradewind::simcomm
