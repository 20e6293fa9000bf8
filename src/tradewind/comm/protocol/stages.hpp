/// run_stages: algorithms with one exchange in each stage, which need no coroutine on MPI.
#pragma once

#include "tradewind/comm/options.hpp"
#include "tradewind/comm/protocol/exchange.hpp"

namespace tradewind {

/// Starts the exchange of a stage. It is a function because the pair would otherwise lie in the
/// frame of the coroutine.
template <class Stages>
StagedExchange::Begun start_stage(StagedExchange& exchange, const Stages& stages, Rank stage) {
    return exchange(stages.pair(stage));
}

/// Runs the stages one after the other as a coroutine.
template <class Stages, class Data, class... More>
Task run_stages_suspended(Comm& comm, Data data, Delivery delivery, More... more) {
    const Stages stages(comm, data, more...);
    StagedExchange exchange(comm, delivery, Stages::tag);
    for (Rank stage = 0; stage < stages.count(); ++stage) {
        co_await start_stage(exchange, stages, stage);
        stages.finish(comm, stage);
    }
}

/// Runs all stages as one list of exchanges, which a protocol may overlap. By default the puts of
/// one stage follow those of the other.
template <class Stages, class Data, class... More>
Task run_stages_together(Comm& comm, Data data, Delivery delivery, More... more) {
    const Stages stages(comm, data, more...);
    MessagePairs pairs;
    pairs.count = stages.count();
    pairs.most_open = delivery.protocol.is_default() ? 1 : 0;
    pairs.tag = Stages::tag;
    pairs.pair = [&stages](std::int64_t stage) { return stages.pair(stage); };
    co_await exchange(comm, pairs, delivery);
}

/// Runs the stages of an algorithm by the protocol and the transport of `options`. `Stages` is
/// constructed from the communicator, the data of the operation and `more`; it has
/// - `operation`, for errors, and `tag`;
/// - `independent`: true if no stage sends what an earlier one has brought, so that a protocol may
///   overlap them;
/// - `count()`, the number of stages;
/// - `pair(stage)`, the exchange of a stage, and `finish(comm, stage)`, the work that follows it.
///
/// On a communicator whose calls block the stages are a plain loop: the frame of a coroutine alone
/// costs 2 % of a short exchange within a node (docs/decisions/0004).
template <class Stages, class Data, class... More>
Task run_stages(Comm& comm, const Data& data, const Options& options, More... more) {
    const Delivery delivery = options.delivery(Stages::operation);
    const bool starts_at_once = StagedExchange(comm, delivery, Stages::tag).starts_at_once();
    if (Stages::independent && !starts_at_once)
        return run_stages_together<Stages>(comm, data, delivery, more...);
    if (!comm.strand().calls_block || !starts_at_once)
        return run_stages_suspended<Stages>(comm, data, delivery, more...);
    const Stages stages(comm, data, more...);
    for (Rank stage = 0; stage < stages.count(); ++stage) {
        start(comm, stages.pair(stage), Stages::tag).finish();
        stages.finish(comm, stage);
    }
    return {};
}

}  // namespace tradewind
