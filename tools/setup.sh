#!/usr/bin/env bash
# Installs Tradewind with the named extras into ./.venv: tools/setup.sh [EXTRA...]
#
# Needs Python >= 3.11 with venv and a C++20 compiler; everything else comes from PyPI. Build isolation is off,
# so that a second run compiles only what has changed (build/core). TRADEWIND_UNITY=OFF compiles each source by itself.
set -euo pipefail
cd "$(dirname "$0")/.."

fail() {
    echo "tradewind: $*" >&2
    exit 2
}

python=${PYTHON:-python3}
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null ||
    fail "needs Python 3.11 or newer as '$python' (set PYTHON=/path/to/python)"
"$python" -c '
import pathlib, sys, sysconfig
sys.exit(not pathlib.Path(sysconfig.get_path("include"), "Python.h").exists())' ||
    fail "needs the headers of '$python' (Debian: python3-dev)"
compiler=${CXX:-c++}
echo '#include <coroutine>' | $compiler -std=c++20 -fsyntax-only -x c++ - 2>/dev/null ||
    fail "needs a C++20 compiler as '$compiler', e.g. g++ 12 or newer (set CXX=/path/to/compiler)"

if [ ! -x .venv/bin/python ] && ! "$python" -m venv .venv; then
    rm -rf .venv
    fail "'$python -m venv' does not work: install the venv package of your Python (Debian: python3-venv)"
fi
[ -x .venv/bin/uv ] || .venv/bin/python -m pip install --quiet --disable-pip-version-check uv ||
    echo "tradewind: no uv for this machine, going on with pip (slower)" >&2

if [ -x .venv/bin/uv ]; then
    install=(.venv/bin/uv pip install --quiet --python .venv/bin/python)
    # uv would keep a package of the same version; pip never does that with a folder.
    again=(--reinstall-package tradewind)
else
    install=(.venv/bin/python -m pip install --quiet --disable-pip-version-check)
    again=()
fi

# The build's own requirements, and CMake and Ninja where the system has none or an old one.
mapfile -t build_tools < <(.venv/bin/python -c '
import tomllib
with open("pyproject.toml", "rb") as file:
    print(*tomllib.load(file)["build-system"]["requires"], sep="\n")')
cmake_version=$(cmake --version 2>/dev/null | sed -n '1s/[^0-9]*\([0-9]*\)\.\([0-9]*\).*/\1 * 1000 + \2/p' || true)
[ $((${cmake_version:-0})) -ge 3020 ] || build_tools+=("cmake>=3.20")
command -v ninja >/dev/null || build_tools+=("ninja")
"${install[@]}" "${build_tools[@]}"

extras=$(IFS=,; echo "$*")
echo "tradewind: compiling and installing into .venv (about a minute the first time)" >&2
PATH="$PWD/.venv/bin:$PATH" "${install[@]}" --no-build-isolation --config-settings build-dir=build/core \
    --config-settings "cmake.define.TRADEWIND_UNITY=${TRADEWIND_UNITY:-ON}" "${again[@]}" ".${extras:+[$extras]}"
