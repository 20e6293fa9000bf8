/// patterns.c as an application of SST/macro: C++ there, and sleeps in simulated time.
#include <mpi.h>
#include <sstmac/compute.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

// Gives `main` and `free` other meanings, so that headers have to come before.
#define sstmac_app_name patterns
#include <sstmac/skeleton.h>

namespace {

int sleep_simulated(const timespec* rest, timespec* /*left*/) {
    sstmac_compute(static_cast<double>(rest->tv_sec) + 1e-9 * static_cast<double>(rest->tv_nsec));
    return 0;
}

}  // namespace

#define nanosleep sleep_simulated
#include "patterns.c"
