"""A sweep as a table of xarray: the fastest allreduce for each number of ranks."""

import tradewind as tw

experiment = {
    "machine": "fattree-m",
    "program": {"name": "allreduce", "bytes": "24 B", "ranks": 64},
    "sweep": {
        "program.ranks": [16, 64],
        "program.allreduce.algorithm": ["recursive_doubling", "ring", "tree"],
    },
}
table = tw.sweep(experiment)
print(dict(table["time_s"].sizes))
fastest = table["time_s"].idxmin("algorithm")
for ranks in table["ranks"].values:
    print(ranks, "ranks:", fastest.sel(ranks=ranks).item())
