/// run_stages: the loop over the stages of an algorithm, as plain calls on MPI and as a coroutine
/// elsewhere.
///
/// An algorithm is a class that knows what its rank exchanges in the present stage:
///
///     class DoublingStages {
///         static constexpr std::string_view operation = "allreduce";     for errors
///         static constexpr Tag tag = tags::allreduce;
///         DoublingStages(const Comm& comm, const Allreduce& vector);
///         bool is_over() const;
///         void next();                        goes on to the next stage
///         MessagePair pair() const;           the exchange of the stage
///         void finish(Comm& comm) const;      the work that follows it
///     };
///
/// Stages of several exchanges have `exchanges()`, which is their number and not 0, `(*this)(i)`
/// instead of `pair()`, and `empty`, the fate of empty messages. If no stage sends what an earlier
/// one has brought, the class has `count()`, the number of stages, and protocols may overlap all of
/// them.
#pragma once

#include <type_traits>
#include <vector>

#include "tradewind/comm/options.hpp"
#include "tradewind/comm/protocol/exchange.hpp"

namespace tradewind {

/// A class of stages with several exchanges in each.
template <class Stages>
concept GroupedStages = requires(const Stages& stages) { stages.exchanges(); };

/// A class of stages that do not depend on each other.
template <class Stages>
concept IndependentStages = requires(const Stages& stages) { stages.count(); };

/// The exchanges of stages on a communicator whose calls block.
struct BlockingExchange {
    template <class Stages>
    [[gnu::always_inline]] void operator()(Comm& comm, const Stages& stages) const {
        start(comm, stages.pair(), Stages::tag).finish();
    }
};
/// The same for stages of several exchanges, which share the memory for their requests.
struct BlockingExchanges {
    template <class Stages>
    void operator()(Comm& comm, const Stages& stages) {
        post(comm, stages.exchanges(), stages, Stages::tag, Stages::empty, requests);
        comm.wait_all(requests).finish();
    }

    std::vector<Request> requests;
};

/// Begins the exchanges of a stage. It is a function because the pair would otherwise lie in the
/// frame of the coroutine.
template <class Stages>
auto begin_exchanges(GroupedExchange& exchange, const Stages& stages) {
    return exchange.all(stages.exchanges(), stages);
}
template <class Stages>
auto begin_exchanges(StagedExchange& exchange, const Stages& stages) {
    return exchange(stages.pair());
}

/// Returns the object that makes the exchanges of a coroutine.
template <class Stages>
[[nodiscard]] auto exchange_of(Comm& comm, Delivery delivery) {
    if constexpr (GroupedStages<Stages>) {
        return GroupedExchange(comm, delivery, Stages::tag, Stages::empty);
    } else {
        return StagedExchange(comm, delivery, Stages::tag);
    }
}

/// Runs the stages one after the other as calls, which block.
template <class Stages, class Data, class... More>
[[gnu::always_inline]] inline void run_stages_at_once(Comm& comm, const Data& data, More... more) {
    std::conditional_t<GroupedStages<Stages>, BlockingExchanges, BlockingExchange> exchange;
    for (Stages stages(comm, data, more...); !stages.is_over(); stages.next()) {
        exchange(comm, stages);
        stages.finish(comm);
    }
}

/// Runs the stages one after the other as a coroutine.
template <class Stages, class Data, class... More>
[[gnu::noinline]] Task run_stages_suspended(Comm& comm, Data data, Delivery delivery,
                                            More... more) {
    Stages stages(comm, data, more...);
    auto exchange = exchange_of<Stages>(comm, delivery);
    for (; !stages.is_over(); stages.next()) {
        co_await begin_exchanges(exchange, stages);
        stages.finish(comm);
    }
}

/// Runs all stages as one list of exchanges, which a protocol may overlap. By default the puts of
/// one stage follow those of the other.
template <class Stages, class Data, class... More>
[[gnu::noinline]] Task run_stages_together(Comm& comm, Data data, Delivery delivery, More... more) {
    Stages stages(comm, data, more...);
    MessagePairs pairs;
    pairs.count = stages.count();
    pairs.most_open = delivery.protocol.is_default() ? 1 : 0;
    pairs.tag = Stages::tag;
    pairs.pair = [&stages](std::int64_t /*stage*/) {
        const MessagePair pair = stages.pair();
        stages.next();
        return pair;
    };
    co_await exchange(comm, pairs, delivery);
}

/// Runs the stages of an algorithm by the protocol and the transport of `options`. The stages are
/// constructed from the communicator, the data of the operation and `more`.
///
/// They are a plain loop on a communicator whose calls block, because the frame of a coroutine
/// alone costs 2 % of a short exchange within a node (docs/decisions/0004). All of its calls are
/// inlined, and the coroutines are not, so that it need not save their registers.
template <class Stages, class Data, class... More>
[[gnu::flatten]] Task run_stages(Comm& comm, const Data& data, const Options& options,
                                 More... more) {
    const Delivery delivery = options.delivery(Stages::operation);
    const bool at_once = starts_at_once(delivery);
    if (at_once && comm.coroutines().calls_block) {
        run_stages_at_once<Stages>(comm, data, more...);
        return {};
    }
    if constexpr (IndependentStages<Stages>) {
        if (!at_once) return run_stages_together<Stages>(comm, data, delivery, more...);
    }
    return run_stages_suspended<Stages>(comm, data, delivery, more...);
}

}  // namespace tradewind
