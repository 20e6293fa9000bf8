"""Optional packages, loaded when first needed, with a clear word if they are missing."""

from __future__ import annotations

import importlib
from types import ModuleType

from tradewind.errors import Error


def need(module: str, purpose: str, extra: str = "report") -> ModuleType:
    """Imports a package of an extra.

    Args:
        module: Name of the module.
        purpose: The purpose of the package, such as "plots".
        extra: Name of the extra that it belongs to.

    Raises:
        Error: If it is not installed.
    """
    try:
        return importlib.import_module(module)
    except ImportError:
        package = module.partition(".")[0]
        raise Error(
            f'{purpose} need the package {package}: pip install "tradewind[{extra}]"'
        ) from None


def available(module: str) -> bool:
    """Returns whether the module can be imported."""
    try:
        importlib.import_module(module)
    except ImportError:
        return False
    return True
