"""The benchmark of recorders runs ours and others in turn, and says what each leaves."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from recorded_programs import mpicc, needs_mpicc

BENCH = Path(__file__).parents[2] / "bench" / "recorder_overhead.py"


@needs_mpicc
def test_other_recorders_are_measured_in_turn_with_ours(tmp_path: Path) -> None:
    """A preloaded library that prints a banner and writes a file, as profilers do."""
    source = tmp_path / "other.c"
    source.write_text(
        "#include <stdio.h>\n"
        "__attribute__((constructor)) static void begin(void) {\n"
        '    puts("other recorder: 1 process");\n'
        '    FILE* file = fopen("other.profile", "w");\n'
        '    if (file) { fputs("12345", file); fclose(file); }\n'
        "}\n"
    )
    library = tmp_path / "libother.so"
    subprocess.run(["cc", "-shared", "-fPIC", str(source), "-o", str(library)], check=True)
    linked = tmp_path / "linked"
    source = BENCH.with_suffix(".c")
    words = [str(mpicc()), "-O2", f"-Wl,--no-as-needed,-rpath,{tmp_path}", str(source)]
    subprocess.run([*words, str(library), "-o", str(linked)], check=True)
    options = ["--repetitions", "1", "--ranks", "2", "--steps", "20", "--halo-steps", "20"]

    def measured(*others: str) -> subprocess.CompletedProcess[str]:
        words = [sys.executable, str(BENCH), *options, *others]
        return subprocess.run(words, capture_output=True, text=True, check=False)

    done = measured("--beside", f"other={library}", "--linked", f"linked={linked}")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)["recorders"]
    assert found["other"]["bytes_by_steps"] == found["linked"]["bytes_by_steps"] == {"20": 5}
    # 20 steps of 10 calls on each of two ranks, in raw files that hold at least a word of each.
    assert found["tradewind"]["raw_bytes_by_steps"]["20"] > 2 * 20 * 10 * 8
    assert 0 < found["tradewind"]["bytes_by_steps"]["20"] < 2**14
    assert found["tradewind"]["call_cost_ns"] > 0
    assert "expected NAME=LIBRARY" in measured("--beside", "other=nothing.so").stderr
    assert "expected NAME=PROGRAM" in measured("--linked", "other=nothing").stderr
