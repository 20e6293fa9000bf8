/// The parts of Comm and its awaiters that need complete types.
#include "tradewind/comm/comm.hpp"

#include "tradewind/base/errors.hpp"
#include "tradewind/base/random.hpp"
#include "tradewind/comm/sub_comm.hpp"

namespace tradewind {

/// Messages that are started by the calls of a communicator.
class StartedMessages final : public PersistentMessages {
public:
    StartedMessages(Comm& comm, const FixedMessages& messages, Envelope envelope)
        : comm_(comm), messages_(messages), envelope_(envelope) {}

    void start(std::size_t first, std::span<Request> started) override {
        for (Request& request : started) {
            const FixedMessage& one = messages_[first++];
            request = one.is_send
                          ? comm_.start_send(one.peer, one.out, envelope_, SendMode::standard)
                          : comm_.start_receive(one.peer, one.in, envelope_);
        }
    }

private:
    Comm& comm_;
    FixedMessages messages_;
    Envelope envelope_;
};

bool WaitBase::await_ready() {
    return comm.begin_wait(waiting);
}

void WaitBase::await_suspend(std::coroutine_handle<> leaf) noexcept {
    comm.suspend(leaf);
}

RequestPair Comm::start_exchange(const MessagePair& pair, Envelope envelope) {
    const Request receive = start_receive(pair.from, pair.in, envelope);
    return {receive, start_send(pair.to, pair.out, envelope, SendMode::standard)};
}

std::unique_ptr<PersistentMessages> Comm::prepare(const FixedMessages& messages, Tag tag) {
    for (const FixedMessage& one : messages) (void)checked(one.peer, one.size());
    return prepare_messages(messages, {context_, tag});
}

std::unique_ptr<PersistentMessages> Comm::prepare_messages(const FixedMessages& messages,
                                                           Envelope envelope) {
    return std::make_unique<StartedMessages>(*this, messages, envelope);
}

void Comm::refuse(Rank peer, Bytes size) const {
    if (peer < 0 || peer >= size_) {
        throw ConfigError(text("rank ", rank_, ": peer ", peer,
                               " is not a rank of this communicator (0..", size_ - 1, ")"));
    }
    throw ConfigError(text("rank ", rank_, ": message size ", size, " is negative"));
}

std::uint32_t Comm::next_context() noexcept {
    return static_cast<std::uint32_t>(mix(context_, ++children_));
}

SubComm Comm::strided(Rank first, Rank stride, Rank count) {
    return SubComm(*this, first, stride, count);
}

}  // namespace tradewind
