/// An alltoallv of uneven blocks, with the expected data.
#pragma once

#include <vector>

#include "algorithm_cases.hpp"
#include "tradewind/base/random.hpp"
#include "tradewind/comm/alltoallv/alltoallv.hpp"

namespace tradewind {

/// Returns an uneven size: a quarter of the blocks are empty, some exceed the eager limit of the
/// virtual machine.
inline Bytes block_size(Rank from, Rank to) {
    constexpr Bytes sizes[] = {0, 1, 5, 13, 40, 0, 600, 8};
    return sizes[mix(std::uint64_t(from), std::uint64_t(to)) % 8];
}

inline std::byte value(Rank from, Rank to, Bytes index) {
    return std::byte(mix(std::uint64_t(from * 100'000 + to), std::uint64_t(index)) & 0xff);
}

/// The blocks of one rank, which knows the sizes of blocks among other ranks only if `all_known`.
class UnevenBlocks final : public Blocks {
public:
    UnevenBlocks(Rank rank, Rank ranks, bool all_known) : rank_(rank), all_known_(all_known) {
        for (Rank i = 0; i < ranks; ++i) {
            sends_.push_back(sends_.back() + block_size(rank, i));
            receives_.push_back(receives_.back() + block_size(i, rank));
        }
    }
    [[nodiscard]] Bytes send_size(Rank to) const override { return block_size(rank_, to); }
    [[nodiscard]] Bytes send_offset(Rank to) const override { return sends_[std::size_t(to)]; }
    [[nodiscard]] Bytes receive_size(Rank from) const override { return block_size(from, rank_); }
    [[nodiscard]] Bytes receive_offset(Rank from) const override {
        return receives_[std::size_t(from)];
    }
    [[nodiscard]] Bytes between(Rank from, Rank to) const override {
        return all_known_ ? block_size(from, to) : unknown;
    }
    [[nodiscard]] Bytes sent() const { return sends_.back(); }
    [[nodiscard]] Bytes received() const { return receives_.back(); }

private:
    Rank rank_;
    bool all_known_;
    std::vector<Bytes> sends_{0};
    std::vector<Bytes> receives_{0};
};

enum class Payload { real, none };

/// One exchange of all ranks. Buffers are never null, and one byte too long, to detect writes
/// beyond the end.
class Exchange {
public:
    Exchange(Rank ranks, bool all_known) {
        for (Rank r = 0; r < ranks; ++r) {
            blocks_.emplace_back(r, ranks, all_known);
            auto& send = sends_.emplace_back();
            for (Rank to = 0; to < ranks; ++to) {
                for (Bytes i = 0; i < block_size(r, to); ++i) send.push_back(value(r, to, i));
            }
            send.push_back(guard);
            receives_.emplace_back(std::size_t(blocks_.back().received() + 1), guard);
        }
    }
    Counts run(const AlltoallvAlgorithm& algorithm, Options options, Payload payload,
               const Machine& machine = run_ranks) {
        const auto start = [&](Comm& comm) {
            const auto r = std::size_t(comm.rank());
            Alltoallv data{ConstBuffer(blocks_[r].sent()), Buffer(blocks_[r].received()),
                           &blocks_[r]};
            if (payload == Payload::real) {
                data.send = {sends_[r].data(), blocks_[r].sent()};
                data.receive = {receives_[r].data(), blocks_[r].received()};
            }
            return algorithm.run(comm, data, options);
        };
        const Counts sent = run_counted(Rank(blocks_.size()), start, machine).total();
        share_all(receives_);
        return sent;
    }
    [[nodiscard]] bool arrived() const {
        for (Rank r = 0; r < Rank(blocks_.size()); ++r) {
            if (receives_[std::size_t(r)] != expected(r)) return false;
        }
        return true;
    }

private:
    static constexpr auto guard = std::byte{0xa5};

    [[nodiscard]] std::vector<std::byte> expected(Rank rank) const {
        std::vector<std::byte> result;
        for (Rank from = 0; from < Rank(blocks_.size()); ++from) {
            for (Bytes i = 0; i < block_size(from, rank); ++i)
                result.push_back(value(from, rank, i));
        }
        result.push_back(guard);
        return result;
    }

    std::vector<UnevenBlocks> blocks_;
    std::vector<std::vector<std::byte>> sends_;
    std::vector<std::vector<std::byte>> receives_;
};

}  // namespace tradewind
