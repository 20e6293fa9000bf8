/// Messages of equal envelopes and many sizes, whose receiver counts those out of order.
#pragma once

#include <algorithm>
#include <vector>

#include "support/machine.hpp"

namespace support {

inline constexpr int ordered_messages = 40;

inline std::size_t ordered_size(int i) {
    constexpr std::size_t sizes[] = {3000, 1, 700, 0, 1500, 64, 256, 9000};
    return sizes[std::size_t(i) % 8];
}

/// Sends many messages, all with the same envelope, to the rank half way round the ring.
inline Task exchange_all(Comm& comm, int& wrong) {
    const Rank partner = (comm.rank() + comm.size() / 2) % comm.size();
    const Rank source = (comm.rank() + comm.size() - comm.size() / 2) % comm.size();
    std::vector<Request> requests;
    std::vector<std::vector<std::byte>> in;
    std::vector<std::vector<std::byte>> out;
    for (int i = 0; i < ordered_messages; ++i) {
        in.emplace_back(9000);
        out.push_back(pattern(ordered_size(i), std::uint64_t(i)));
        if (i < ordered_messages / 2) requests.push_back(comm.irecv(source, view(in.back())));
    }
    for (int i = 0; i < ordered_messages; ++i)
        requests.push_back(comm.isend(partner, view(out[std::size_t(i)])));
    co_await comm.compute({20'000, 0});
    for (int i = ordered_messages / 2; i < ordered_messages; ++i)
        requests.push_back(comm.irecv(source, view(in[std::size_t(i)])));
    co_await comm.wait_all(requests);
    for (std::size_t i = 0; i < std::size_t(ordered_messages); ++i) {
        if (!std::equal(out[i].begin(), out[i].end(), in[i].begin())) ++wrong;
    }
}

}  // namespace support
