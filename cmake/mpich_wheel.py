"""Prints where the `mpich` package of this Python keeps library, header folder and mpiexec.

Five lines: version, library, folder of mpi.h, mpiexec, and "stays" or "goes": under build isolation the
package is gone after the build. Fails if the package is missing or empty, as it is on systems that it
does not support.
"""

from __future__ import annotations

import importlib.metadata
import sys
import tempfile
from pathlib import Path


def _stays(package: Path) -> bool:
    """Returns whether the package lies in an environment that outlives the build.

    pip isolates builds by a folder outside the environment, build by an environment among the temporary
    files, and uv by one in its cache.
    """
    prefix = Path(sys.prefix).resolve()
    isolated = prefix.is_relative_to(Path(tempfile.gettempdir()).resolve()) or any(
        part.startswith("builds-v") for part in prefix.parts
    )
    return package.is_relative_to(prefix) and not isolated


def main() -> int:
    """Prints the lines; returns 1 if there is no usable package."""
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
    place = "stays" if _stays(libraries[0]) else "goes"
    print(package.version, libraries[0], headers[0].parent, launchers[0], place, sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
