"""Messages of each alltoallv algorithm: 1 KiB from each of 60 ranks to each other one."""

import tradewind as tw

machine = {
    "topology": {"name": "torus", "extents": [4, 4, 4]},
    "link": {"bandwidth": "10 GB/s", "latency": "100 ns"},
}
for algorithm in ("burst", "ring", "bruck"):
    program = {
        "name": "alltoallv",
        "ranks": 60,
        "bytes": "1 KiB",
        "alltoallv": {"algorithm": algorithm},
    }
    counts = tw.simulate({"machine": machine, "program": program}).counts
    print(
        f"{algorithm:6} {counts['messages'] / 60:5.1f} messages and {counts['bytes'] / 60 / 1024:6.1f} KiB per rank"
    )
