"""The same transposition on three networks: which is the fastest, and how busy do its links get?"""

import tradewind as tw

program = {"name": "transposition", "grid": [512, 256, 64], "ranks": 64}
times = {}
for machine in ("torus-m", "fattree-m", "dragonfly-mm"):
    run = tw.simulate({"machine": machine, "program": program})
    times[machine] = run.time_s
    print(f"{machine:12} {1e3 * run.time_s:8.3f} ms, busiest link {100 * run.links.max:.0f} %")

print("slowest:", max(times, key=times.get))
