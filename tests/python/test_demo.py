"""The demo's halo on a torus: what its description says of 1000 and 10,000 ranks."""

from __future__ import annotations

import re

import tradewind as tw
from tradewind.config import places
from tradewind.config.experiment import Experiment


def test_the_description_of_the_halo_tells_the_simulated_times() -> None:
    path = places.data_folder("experiments") / "demo" / "halo.toml"
    loaded = Experiment.load(path)
    kept = {"sweep": {}, "machine.name": "torus-l"}

    def time_s(ranks: int, **changes: object) -> float:
        run = tw.simulate(path, {**kept, "program.ranks": ranks, **changes}, progress=False)
        assert isinstance(run, tw.Run)
        return run.time_s

    told = loaded.about.description
    assert told is not None
    slow = time_s(10000)
    assert round(slow / time_s(1000)) == 9
    assert "nine times as long as 1000" in told
    (random,) = re.findall(r'placement.rule = "random"\) takes (\d+) ms', told)
    assert round(1e3 * time_s(10000, **{"placement.rule": "random"})) == int(random)
