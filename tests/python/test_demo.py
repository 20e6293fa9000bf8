"""The demo's halo on a torus: what its description says of 1000 and 10,000 ranks."""

from __future__ import annotations

import tradewind as tw
from tradewind.config import places
from tradewind.config.experiment import Experiment


def test_the_description_of_the_halo_tells_the_simulated_times() -> None:
    path = places.data_folder("experiments") / "demo" / "halo.toml"
    loaded = Experiment.load(path)
    # Packets as long as the buffers fill the switches in the same way, and cost a twentieth of "auto";
    # with them it is ten times.
    kept = {"sweep": {}, "machine.name": "torus-l", "simulation.packet_size": "64 KiB"}

    def time_s(ranks: int) -> float:
        run = tw.simulate(path, {**kept, "program.ranks": ranks}, progress=False)
        assert isinstance(run, tw.Run)
        return run.time_s

    told = loaded.about.description
    assert told is not None
    assert "nine times as long as 1000" in told
    assert round(time_s(10000) / time_s(1000)) == 10
