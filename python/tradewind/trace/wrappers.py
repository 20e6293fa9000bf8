"""The functions of MPI that the recorder puts in front of a library, written in C from its mpi.h.

The table `calls.txt` of the recorder says what each function is; the types of the arguments are those
that the header of this MPI declares. So one line serves MPI_Send and MPI_Send_c, and an MPI that has
fewer functions, or more, needs no change.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from tradewind.errors import ConfigError

_PROTOTYPE = re.compile(r"\bint\s+MPI_(\w+)\s*\(([^;{}]*?)\)\s*(?:__attribute__[^;]*)?;")
_LINE = re.compile(r"(?:([+*]) )?(\w+)\(([\w ]*)\) (?:(.*) \| )?(.*)")
_NAME = re.compile(r"(\w+)(\s*(?:\[[^\]]*\]\s*)*)$")
# Statuses, which a caller may leave out, and the recorder needs all the same.
_STATUS = {
    "status": (
        "    MPI_Status own_status;\n    if (status == MPI_STATUS_IGNORE) status = &own_status;\n"
    ),
    "statuses": (
        "    MPI_Status few[16], *own_statuses = count <= 16 ? few : NULL;\n"
        "    if (statuses == MPI_STATUSES_IGNORE && count > 16)\n"
        "        own_statuses = malloc((size_t)count * sizeof *own_statuses);\n"
        "    MPI_Status *given_statuses = statuses;\n"
        "    if (statuses == MPI_STATUSES_IGNORE && own_statuses) statuses = own_statuses;\n"
    ),
}
_AFTERWARDS = {
    "statuses": (
        "    if (given_statuses == MPI_STATUSES_IGNORE && own_statuses != few) free(own_statuses);\n"
    )
}


@dataclass(frozen=True)
class Function:
    """A function of the table: the names of its arguments, and what is done before and after it."""

    name: str
    arguments: tuple[str, ...]
    before: str
    after: str


@dataclass(frozen=True)
class Table:
    """The table of calls: functions by name, those written by hand, and patterns of local ones."""

    functions: dict[str, Function]
    own: tuple[str, ...]
    local: re.Pattern[str]


def _forms(kind: str | None, base: Function) -> Iterator[Function]:
    """Yields a function with its nonblocking and its persistent form, where it has them."""
    finish = {
        "": "emit(e);",
        "I": "start_request(e, *request);",
        "init": "keep_request(e, *request);",
    }
    name, arguments, before = base.name, base.arguments, base.before

    def made(form: str, form_name: str, more: tuple[str, ...] = ()) -> Function:
        after = base.after if base.after.endswith((";", "}")) else f"{base.after}; {finish[form]}"
        return Function(form_name, arguments + more, before, after)

    own = "init" if name.endswith("_init") else "I" if "request" in arguments else ""
    yield made(own, name)
    if kind:
        yield made("I", f"I{name[0].lower()}{name[1:]}", ("request",))
        info = ("info",) if kind == "*" else ()
        yield made("init", f"{name}_init", (*info, "request"))


def read_table(text: str) -> Table:
    """Reads the text of `calls.txt`."""
    functions: dict[str, Function] = {}
    own: list[str] = []
    local: list[str] = []
    for line in text.splitlines():
        word, _, rest = line.partition(" ")
        if not line or word == "#":
            continue
        if word in ("own", "local"):
            (own if word == "own" else local).extend(rest.split())
            continue
        found = _LINE.fullmatch(line)
        assert found is not None, line
        kind, name, arguments, before, after = found.groups()
        base = Function(name, tuple(arguments.split()), before or "", after)
        functions |= {form.name: form for form in _forms(kind, base)}
    return Table(functions, tuple(own), re.compile("|".join(local)))


def prototypes(header: str) -> dict[str, list[str]]:
    """Returns the parameters of each function that a preprocessed mpi.h declares."""
    found = {}
    for name, text in _PROTOTYPE.findall(header):
        words = " ".join(text.split())
        found[name] = [] if words in ("void", "") else [word.strip() for word in words.split(",")]
    return found


def _renamed(parameters: list[str], names: Iterable[str]) -> str:
    renamed = [
        _NAME.sub(rf"{name}\2", parameter)
        for parameter, name in zip(parameters, names, strict=True)
    ]
    return ", ".join(renamed) or "void"


def _failed(name: str, function: Function) -> str:
    """Returns what is done if a call that completes requests returns an error; otherwise nothing."""
    noted = re.match(r"save_requests\((.*)\);", function.before)
    if noted is None:
        return ""
    # The statuses of other functions are not in the order of the requests.
    statuses = next((one for one in ("status", "statuses") if one in function.arguments), "NULL")
    if {"index", "indices"} & set(function.arguments):
        statuses = "NULL"
    return (
        "    else {\n"
        f"        struct event event = {{.site = site, .function = FUNCTION_{name}}};\n"
        f"        failed(&event, result, {noted.group(1)}, {statuses});\n"
        "    }\n"
    )


def _wrapper(name: str, parameters: list[str], function: Function) -> str:
    """Returns the text of one function."""
    given = ", ".join(function.arguments)
    extra = [
        argument
        for argument, parameter in zip(function.arguments, parameters, strict=True)
        if argument in _STATUS and not parameter.startswith("const")
    ]
    return (
        f"EXPORTED int MPI_{name}({_renamed(parameters, function.arguments)}) {{\n"
        "    const uint64_t site = SITE();\n"
        f"    if (!enter(FUNCTION_{name})) return real.{name}({given});\n"
        + "".join(_STATUS[argument] for argument in extra)
        + (f"    {function.before}\n" if function.before else "")
        + f"    const int result = real.{name}({given});\n"
        "    leave();\n"
        "    if (result == MPI_SUCCESS) {\n"
        f"        struct event event = {{.site = site, .function = FUNCTION_{name}}}, *e = &event;\n"
        f"        (void)e;\n        {function.after}\n"
        "    }\n"
        + _failed(name, function)
        + "    resume();\n"
        + "".join(_AFTERWARDS.get(argument, "") for argument in extra)
        + "    return result;\n}\n"
        + f"SAME_AS({name}, ({_renamed(parameters, function.arguments)}))\n"
    )


def _function(name: str, parameters: list[str], table: Table) -> Function | None:
    """Returns what a function of the header is; None if the recorder leaves it alone."""
    known = table.functions.get(name) or table.functions.get(name.removesuffix("_c"))
    if known is not None:
        if len(known.arguments) != len(parameters):
            raise ConfigError(
                f"record: this mpi.h declares MPI_{name} with {len(parameters)} arguments, and the "
                f"standard with {len(known.arguments)}"
            )
        return known
    if name in table.own or table.local.fullmatch(name) or any("..." in one for one in parameters):
        return None
    arguments = tuple(_NAME.search(one).group(1) for one in parameters)  # type: ignore[union-attr]
    return Function(name, arguments, "", "other(e); emit(e);")


_HEAD = """\
/* Made from calls.txt and mpi.h; see python/tradewind/trace/wrappers.py. */
#include "record.h"

/* Fortran bindings may call the functions of the profiling interface. */
#define SAME_AS(name, parameters) \\
    __attribute__((visibility("default"), alias("MPI_" #name))) int PMPI_##name parameters;

"""


def _fortran(names: Iterable[str]) -> Iterator[str]:
    """Yields the functions of the Fortran bindings: of mpif.h and mpi, and two kinds of mpi_f08."""
    made = [f"mpi_{name.lower()}{end}" for name in names for end in ("_", "_f08_", "_f08ts_")]
    for number, name in enumerate(made):
        yield f"FORTRAN({number}, {name})"


def generate(sources: Path, header: str) -> dict[str, str]:
    """Writes the C of the recorder that depends on an MPI.

    Args:
        sources: The folder of the recorder.
        header: The mpi.h of that MPI, preprocessed.

    Returns:
        Texts by file name: `names.h` and `wrappers.c`.

    Raises:
        ConfigError: If the header does not declare MPI as the standard does.
    """
    table = read_table((sources / "calls.txt").read_text(encoding="utf-8"))
    declared = prototypes(header)
    if "Send" not in declared or "Init" not in declared:
        raise ConfigError(
            "record: the mpi.h of this compiler does not declare MPI_Init and MPI_Send"
        )
    wrappers = {}
    for name, parameters in declared.items():
        function = _function(name, parameters, table)
        if function is not None:
            wrappers[name] = _wrapper(name, parameters, function)
    texts = [path.read_text(encoding="utf-8") for path in sources.iterdir() if path.is_file()]
    calls = sorted(set(re.findall(r"\bCALL_([a-z]\w*)", "".join(texts))) - {"count"})
    functions = [name for name in declared if not name.startswith("T_")]
    names = (
        "/* Made from calls.txt and mpi.h. */\n"
        f"#define TRADEWIND_CALLS {' '.join(f'CALL({name})' for name in calls)}\n"
        f"#define TRADEWIND_FUNCTIONS {' '.join(f'FUNCTION({name})' for name in functions)}\n"
        f"#define TRADEWIND_FORTRAN {' '.join(_fortran([*table.own, *wrappers]))}\n"
    )
    return {"names.h": names, "wrappers.c": _HEAD + "\n".join(wrappers.values())}
