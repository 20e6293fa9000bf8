"""Prints where the `mpich` package of this Python keeps library, header folder and mpiexec.

Four lines: version, library, folder of mpi.h, mpiexec. Fails if the package is missing or empty, as it
is on systems that it does not support.
"""

from __future__ import annotations

import importlib.metadata
import sys
from pathlib import Path


def main() -> int:
    """Prints the four lines; returns 1 if there is no usable package."""
    try:
        package = importlib.metadata.distribution("mpich")
    except importlib.metadata.PackageNotFoundError:
        return 1
    paths = [Path(str(package.locate_file(file))).resolve() for file in package.files or []]
    libraries = sorted(path for path in paths if path.name.startswith("libmpi."))
    headers = [path for path in paths if path.name == "mpi.h"]
    launchers = [path for path in paths if path.name == "mpiexec"]
    if not (libraries and headers and launchers):
        return 1
    print(package.version, libraries[0], headers[0].parent, launchers[0], sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
