/// Checkpoints: the state of a run in a file, from which another run goes on bit by bit.
///
///     tradewind-checkpoint 2           header: one line each, then an empty line
///     model=pstswm
///     version=0.1.0
///     truncation=42                    the settings, but for the length of the run
///     ...
///     ranks=4
///     step=30
///     checksum=1443...                 of all numbers
///     numbers=3784 3784 3698 3698      of each rank
///
///     3784 + 3784 + ... doubles        rank 0, rank 1, ... as doubles of this machine
///
/// Rank 0 writes and reads; the others send it their part, or receive it. A file is replaced only
/// when the next one is complete.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tradewind/base/settings.hpp"
#include "tradewind/comm/comm.hpp"
#include "tradewind/comm/task.hpp"

namespace tradewind {

/// The names and values that a checkpoint must agree with to be used, in order.
using Identity = std::vector<std::pair<std::string, std::string>>;

/// Returns the identity of a run: model, version, and all settings but those of its length and
/// output, and of how messages are exchanged. Of files that settings name it has the content, as
/// their place may change.
[[nodiscard]] Identity identity_of(std::string_view model, std::string_view version,
                                   const Settings& settings);

/// The rule when a run writes checkpoints and which one it begins with.
class Checkpoints {
public:
    /// Neither writes nor reads.
    Checkpoints() = default;
    /// Writes `file` after every `every` steps (0: never) and begins with `restart` unless it is
    /// empty.
    Checkpoints(Identity identity, std::int64_t every, std::filesystem::path file,
                std::filesystem::path restart)
        : identity_(std::move(identity)),
          every_(every),
          file_(std::move(file)),
          restart_(std::move(restart)) {}

    [[nodiscard]] bool is_due(std::int64_t step) const noexcept {
        return every_ > 0 && step % every_ == 0;
    }
    [[nodiscard]] bool restarts() const noexcept { return !restart_.empty(); }

    /// Writes the numbers of all ranks. Throws Error on all ranks if the file cannot be written.
    Task write(Comm& comm, std::int64_t step, std::span<const double> numbers) const;
    /// Reads the rank's numbers and the step after which they were written, for a run that ends
    /// after `last_step`. Throws ConfigError on all ranks if the file cannot be read, is of another
    /// run, or leaves no step to do.
    Task read(Comm& comm, std::int64_t last_step, std::int64_t& step,
              std::vector<double>& numbers) const;

private:
    Identity identity_;
    std::int64_t every_ = 0;
    std::filesystem::path file_;
    std::filesystem::path restart_;
};

}  // namespace tradewind
