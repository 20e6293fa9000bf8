/// ForwardingComm: a communicator that forwards all calls to another one; tests derive from it to
/// observe or change them.
#pragma once

#include "tradewind/comm/comm.hpp"

namespace tradewind {

class ForwardingComm : public Comm {
public:
    explicit ForwardingComm(Comm& inner)
        : Comm(inner.rank(), inner.size(), inner.coroutines()), inner_(inner) {}

    [[nodiscard]] Picoseconds now() const noexcept override { return inner_.now(); }
    [[nodiscard]] Window expose(Buffer memory, std::int32_t signals) override {
        return inner_.expose(memory, signals);
    }
    [[nodiscard]] OwnWindow allocate(Bytes size, bool has_data, std::int32_t signals) override {
        return inner_.allocate(size, has_data, signals);
    }

protected:
    Request start_send(Rank to, ConstBuffer data, Envelope envelope, SendMode mode) override {
        return (inner_.*&Open::start_send)(to, data, envelope, mode);
    }
    Request start_receive(Rank from, Buffer data, Envelope envelope) override {
        return (inner_.*&Open::start_receive)(from, data, envelope);
    }
    Request start_put(Rank to, Window window, Bytes offset, ConstBuffer data,
                      std::int32_t signal) override {
        return (inner_.*&Open::start_put)(to, window, offset, data, signal);
    }
    bool begin_wait(Waiting& waiting) override { return (inner_.*&Open::begin_wait)(waiting); }
    void suspend(std::coroutine_handle<> leaf) noexcept override { (inner_.*&Open::suspend)(leaf); }

private:
    /// The protected operations of any communicator.
    struct Open : Comm {
        using Comm::begin_wait;
        using Comm::start_put;
        using Comm::start_receive;
        using Comm::start_send;
        using Comm::suspend;
    };

    Comm& inner_;
};

}  // namespace tradewind
