/// The checks of a neighbourhood, and the messages of a rank to itself.
#include "tradewind/comm/neighbor/pieces.hpp"

#include "tradewind/comm/local_work.hpp"

namespace tradewind {

namespace {

void check_list(const Comm& comm, const std::vector<Neighbor>& list, Bytes room, const char* verb) {
    for (const Neighbor& one : list) {
        const auto who = [&] {
            return text("neighbor: rank ", comm.rank(), ' ', verb, " rank ", one.rank);
        };
        if (one.rank < 0 || one.rank >= comm.size()) {
            throw ConfigError(
                text(who(), ", which is not in 0..", comm.size() - 1, " of its communicator"));
        }
        if (one.size < 0 || one.offset < 0 || one.offset > room - one.size) {
            throw ConfigError(text(who(), ": ", one.size, " bytes at ", one.offset,
                                   " do not fit its buffer of ", room, " bytes"));
        }
    }
}

}  // namespace

void check_neighbors(const Comm& comm, const NeighborExchange& data) {
    check_list(comm, data.neighbors->sources, data.receive.size(), "receives from");
    check_list(comm, data.neighbors->destinations, data.send.size(), "sends to");
}

NeighborConnection& connection_of(const Comm& comm, const NeighborExchange& data,
                                  std::string_view algorithm) {
    if (data.connection != nullptr) return *data.connection;
    throw ConfigError(
        text("neighbor ", algorithm, ": rank ", comm.rank(), " was given no connection"));
}

void copy_own_messages(Comm& comm, const NeighborExchange& data) {
    const std::vector<Neighbor>& sources = data.neighbors->sources;
    std::size_t next = 0;
    const auto find_next = [&] {
        while (next < sources.size() && sources[next].rank != comm.rank()) ++next;
        return next < sources.size();
    };
    for (const Neighbor& to : data.neighbors->destinations) {
        if (to.rank != comm.rank()) continue;
        const Bytes expected = find_next() ? sources[next].size : -1;
        if (expected != to.size) {
            throw ConfigError(text("neighbor: rank ", comm.rank(), " sends ", to.size,
                                   " bytes to itself but receives ",
                                   expected < 0 ? "none" : text(expected)));
        }
        copy(comm, message_to(data, to), message_from(data, sources[next++]));
    }
    if (find_next()) {
        throw ConfigError(text("neighbor: rank ", comm.rank(), " receives ", sources[next].size,
                               " bytes from itself but does not send them"));
    }
}

}  // namespace tradewind
