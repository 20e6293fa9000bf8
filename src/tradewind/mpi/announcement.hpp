/// Announcements to `tradewind record`: calls of MPI that are one call of a program.
///
/// Calls between MPI_Pcontrol(770) and MPI_Pcontrol(771, ...) are recorded as one call, or not at
/// all (docs/reference/raw.md). A put with a signal is such a call, however MPI carries it, and
/// so is the wait for a signal, of which MPI sees nothing. Without a recorder this does nothing.
#pragma once

#include <cstdint>
#include <span>

#include "tradewind/mpi/check.hpp"

namespace tradewind::mpi {

/// The calls of MPI while the object lives, which are not recorded as themselves.
class AnnouncedCall {
public:
    AnnouncedCall() { MPI_Pcontrol(begin); }
    AnnouncedCall(const AnnouncedCall&) = delete;
    AnnouncedCall& operator=(const AnnouncedCall&) = delete;
    ~AnnouncedCall() {
        if (!is_told_) MPI_Pcontrol(end, static_cast<const char*>(nullptr));
    }
    /// Records them as a call of the trace on `comm`. Where that has a request, its slot is put in
    /// the place of the last argument.
    void is(const char* name, MPI_Comm comm, std::span<std::int64_t> arguments) {
        is_told_ = true;
        MPI_Pcontrol(end, name, comm, std::int64_t(arguments.size()), arguments.data());
    }

private:
    static constexpr int begin = 770;
    static constexpr int end = 771;

    bool is_told_ = false;
};

}  // namespace tradewind::mpi
