/// The barrier algorithms; each is described in the file of the same name.
#pragma once

#include "tradewind/comm/barrier/barrier.hpp"

namespace tradewind {

Task barrier_dissemination(Comm& comm, Options options);
Task barrier_tree(Comm& comm, Options options);

}  // namespace tradewind
