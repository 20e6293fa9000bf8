"""A Dask cluster of two worker processes; prints its address, ends with its input."""

from __future__ import annotations

import json
import sys

from distributed import LocalCluster

if __name__ == "__main__":
    with LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
    ) as cluster:
        print(json.dumps({"address": cluster.scheduler_address}), flush=True)
        sys.stdin.read()
