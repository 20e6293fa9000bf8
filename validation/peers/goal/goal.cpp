/// Writes the messages of a program of the catalogue as a GOAL schedule, for LogGOPSim.
///
///     goal RANKS PROGRAM [KEY=VALUE...]
///
/// Each rank is run by itself on a communicator that notes what it is asked for. A wait becomes an
/// operation without length: it requires the messages that are waited for, and what the rank does
/// next requires it.
#include <iostream>
#include <string>
#include <vector>

#include "tradewind/base/settings_text.hpp"
#include "tradewind/skeleton/program.hpp"

namespace {

using namespace tradewind;

class GoalComm final : public Comm {
public:
    GoalComm(Rank rank, Rank size, Strand& strand) noexcept : Comm(rank, size, strand) {}

    [[nodiscard]] Picoseconds now() const noexcept override { return 0; }
    [[nodiscard]] Window expose(Buffer /*memory*/, std::int32_t /*signals*/) override {
        throw ConfigError("a GOAL schedule has no one-sided puts");
    }

private:
    /// Adds an operation, which begins when the last wait is over.
    Request add(const std::string& words) {
        const Request request{++operations_};
        std::cout << 'l' << request.id << ": " << words << '\n';
        if (last_wait_ != 0) require(request.id, last_wait_);
        return request;
    }
    static void require(std::uint32_t later, std::uint32_t earlier) {
        std::cout << 'l' << later << " requires l" << earlier << '\n';
    }

    Request start_send(Rank to, ConstBuffer data, Envelope envelope, SendMode /*mode*/) override {
        return add(text("send ", data.size(), "b to ", to, " tag ", envelope.tag));
    }
    Request start_receive(Rank from, Buffer data, Envelope envelope) override {
        return add(text("recv ", data.size(), "b from ", from, " tag ", envelope.tag));
    }
    Request start_put(Rank, Window, Bytes, ConstBuffer, std::int32_t) override {
        throw ConfigError("a GOAL schedule has no one-sided puts");
    }

    bool begin_wait(Waiting& waiting) override {
        if (waiting.what_for == Waiting::For::compute) return true;
        if (waiting.what_for != Waiting::For::all)
            throw ConfigError("a GOAL schedule waits for all messages of a list, not for any");
        const std::span<Request> requests(waiting.requests, std::size_t(waiting.count));
        const Request wait = add("calc 0");
        for (Request& request : requests) {
            if (!request.is_null()) require(wait.id, request.id);
            request = Request{};
        }
        last_wait_ = wait.id;
        return true;
    }
    void suspend(std::coroutine_handle<> /*leaf*/) noexcept override {}

    std::uint32_t operations_ = 0;
    std::uint32_t last_wait_ = 0;
};

void write_rank(Rank rank, Rank ranks, const Program& program, Strand& strand) {
    std::cout << "\nrank " << rank << " {\n";
    GoalComm comm(rank, ranks, strand);
    Task task = program(comm);
    task.start();
    if (!task.done()) throw Error(text("rank ", rank, " did not finish"));
    task.rethrow();
    std::cout << "}\n";
}

void write(const std::vector<std::string>& words) {
    if (words.size() < 2) throw ConfigError("usage: goal RANKS PROGRAM [KEY=VALUE...]");
    const Rank ranks = std::stoll(words[0]);
    const Program program =
        skeleton::make_program(words[1], read_settings(std::span(words).subspan(2)), ranks);
    std::cout << "num_ranks " << ranks << '\n';
    Strand strand;
    for (Rank rank = 0; rank < ranks; ++rank) write_rank(rank, ranks, program, strand);
}

}  // namespace

int main(int count, char** arguments) {
    try {
        write({arguments + 1, arguments + count});
    } catch (const std::exception& error) {
        std::cerr << "goal: " << error.what() << '\n';
        return 2;
    }
    return 0;
}
