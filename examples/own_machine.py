"""A machine of one's own, and what several ranks per node cost: the network interface is shared."""

import tradewind as tw

machine = {
    "topology": {
        "name": "dragonfly_canonical",
        "routers": 4,
        "global_links": 2,
        "nodes_per_switch": 2,
    },
    "routing": "ugal",
    "link": {"bandwidth": "25 GB/s", "latency": "50 ns", "global_latency": "150 ns"},
    "nic": {"injection_bandwidth": "25 GB/s", "injection_latency": "500 ns"},
}
program = {"name": "halo", "grid": [1024, 1024, 64], "width": 4, "ranks": 64}
for ranks_per_node in (1, 4):
    nodes = {"model": "AMM2", "ranks_per_node": ranks_per_node}
    run = tw.simulate({"machine": machine | {"node": nodes}, "program": program})
    print(
        f"{ranks_per_node} ranks per node, {run.counts['nodes']} nodes: {1e6 * run.time_s:.1f} us"
    )
