"""Damages input files of all kinds and checks that every command copes with them.

Usage: python tools/fuzz.py [--seconds 60] [--seed 1] [--first 0] [--count N] [--kind NAME] [--keep DIR]

An input may be accepted or refused in one line. It is a fault if a command ends with a traceback or by a signal,
takes too much time or memory, accepts what must be refused, or refuses input without the name of its file. Input
number N of a seed is always the same; those that are at fault are kept in folders, with the command that repeats
them. The exit status is 1 then.
"""

from __future__ import annotations

import argparse
import random
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from fuzz_kinds import Kind, Trial, kinds, make_sample
from fuzz_process import Ending, call, call_here, load_everything


@dataclass
class Campaign:
    """Inputs of one seed.

    Args:
        seed: Decides about all inputs.
        known: The kinds to choose from.
        scratch: Where inputs are made.
        keep: Where those at fault go.
    """

    seed: int
    known: dict[str, Kind]
    scratch: Path
    keep: Path
    tried: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)

    def try_input(self, number: int) -> None:
        """Makes one input, and runs the commands that read it."""
        rng = random.Random(f"{self.seed} {number}")
        shares = [kind.share for kind in self.known.values()]
        (name,) = rng.choices(list(self.known), shares)
        folder = self.scratch / str(number)
        folder.mkdir()
        trial = self.known[name].make(folder, rng)
        inputs = [path.name for path in folder.rglob("*")]
        self.tried[name] += 1
        for index, arguments in enumerate(trial.commands):
            ending = call(folder, arguments)
            # The first command must refuse a bad input; later ones may do without it.
            fault = ending.fault(must_fail=trial.mutant.must_fail and index == 0)
            if fault is None and not ending.names_one_of(inputs):
                fault = "an error without its file"
            if index == 0 and ending.status:
                self.refused[name] += 1
            if fault is not None:
                self._note(number, name, fault, (trial, arguments, ending))
                break
        shutil.rmtree(folder, ignore_errors=True)

    def _note(
        self, number: int, name: str, fault: str, about: tuple[Trial, Sequence[str], Ending]
    ) -> None:
        trial, arguments, ending = about
        kept = self.keep / f"{self.seed}-{number}-{name}"
        shutil.rmtree(kept, ignore_errors=True)
        shutil.copytree(self.scratch / str(number), kept)
        # Whatever a command has made of it meanwhile: this is the input.
        (kept / trial.name).write_bytes(trial.mutant.content)
        last = ending.text.strip().splitlines()[-1:] or ["nothing was written"]
        again = f"python tools/fuzz.py --seed {self.seed} --first {number} --count 1"
        if len(self.known) < len(kinds()):
            again += "".join(f" --kind {one}" for one in self.known)
        lines = [
            f"{fault}: {name}, {trial.mutant.story}",
            f"    input   {kept / trial.name}",
            f"    says    {last[0][:300]}",
            f"    repeat  {again}",
            f"    or      cd {kept} && python -m tradewind {' '.join(arguments)}",
        ]
        (kept / "fault.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
        print("\n".join(lines), flush=True)
        self.faults.append(fault)


def _options(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--seconds", type=float, default=60.0, help="begin no input after so long")
    parser.add_argument("--seed", type=int, default=1, help="decides about all inputs")
    parser.add_argument("--first", type=int, default=0, help="number of the first input")
    parser.add_argument("--count", type=int, default=10**9, help="at most so many inputs")
    parser.add_argument("--kind", action="append", choices=list(kinds()), help="only this kind")
    parser.add_argument("--keep", type=Path, default=Path("build/fuzz"), help="for faults")
    return parser.parse_args(arguments)


def main(arguments: list[str]) -> int:
    """Tries inputs until time is up; returns 1 if one of them is at fault."""
    options = _options(arguments)
    load_everything()
    known = {name: kind for name, kind in kinds().items() if name in (options.kind or kinds())}
    with tempfile.TemporaryDirectory(prefix="tradewind-fuzz-") as scratch:
        make_sample(Path(scratch) / "sample", call_here)
        campaign = Campaign(options.seed, known, Path(scratch), options.keep.resolve())
        begin = time.monotonic()
        for number in range(options.first, options.first + options.count):
            if time.monotonic() - begin > options.seconds:
                break
            campaign.try_input(number)
    total, seconds = campaign.tried.total(), time.monotonic() - begin
    for name, count in sorted(campaign.tried.items()):
        print(f"  {name:16} {count:6} inputs, {campaign.refused[name]:6} refused")
    print(
        f"fuzz: seed {options.seed}, {total} inputs in {seconds:.0f} s: {len(campaign.faults)} faults"
    )
    return 1 if campaign.faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
