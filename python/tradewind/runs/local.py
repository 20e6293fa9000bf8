"""Runs in parallel processes of this machine, as many as cores and memory allow."""

from __future__ import annotations

import selectors
from dataclasses import dataclass, field
from functools import partial

from tradewind import core
from tradewind.config.experiment import Member, usable_cores
from tradewind.runs.execution import Execution
from tradewind.runs.limits import Prediction, available_memory
from tradewind.runs.process import RunProcess, stop_all


@dataclass
class LocalExecution(Execution):
    """Runs that are made here, each in a process of its own."""

    _running: dict[int, RunProcess] = field(default_factory=dict, init=False)

    def _make_runs(self) -> None:
        with selectors.DefaultSelector() as selector:
            while self._waiting or self._running:
                self._start_some(selector)
                for key, _ in selector.select(timeout=0.5):
                    self._read(key.fd, selector)

    def _start_some(self, selector: selectors.BaseSelector) -> None:
        for entry in list(self._waiting):
            if self._running and self._free_threads() < 1:
                return
            if self._running and not self._fits(entry):
                continue
            self._waiting.remove(entry)
            run = RunProcess.start(entry[0], self.store.folder)
            self._running[run.output.fileno()] = run
            selector.register(run.output, selectors.EVENT_READ)
            self.observer.started(*entry)

    def _free_threads(self) -> int:
        return usable_cores() - sum(run.member.threads for run in self._running.values())

    def _fits(self, entry: tuple[Member, Prediction]) -> bool:
        if entry[0].threads > self._free_threads():
            return False
        return entry[1].memory_bytes < available_memory()

    def _read(self, descriptor: int, selector: selectors.BaseSelector) -> None:
        run = self._running[descriptor]
        if not run.read(partial(self.observer.advanced, run.member)):
            selector.unregister(descriptor)
            del self._running[descriptor]
            self._collect(run.member, run.outcome(self.store, core.load().version))

    def _stop_all(self) -> None:
        stop_all(self._running.values())
        self._running.clear()
