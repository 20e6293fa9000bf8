/// What the processes of one simulation do together outside the engine.
#pragma once

#include <exception>
#include <functional>
#include <vector>

#include "tradewind/sim/kernel/transport.hpp"

namespace tradewind::simcomm {

/// Runs `part` on every process. What it throws on any of them is thrown on all, with its class if
/// that is one of base/errors.hpp; the first process that throws is heard. Without a transport,
/// `part` simply runs.
void together(sim::Transport* transport, const std::function<void()>& part);

/// Sends `mine` to the first process, which gets what each process has sent; the others get empty
/// arrays.
[[nodiscard]] std::vector<ByteArray> send_to_first(sim::Transport& transport,
                                                   const ByteArray& mine);
/// Sends `mine` to all processes; returns what each has sent.
[[nodiscard]] std::vector<ByteArray> send_to_all(sim::Transport& transport, const ByteArray& mine);

}  // namespace tradewind::simcomm
