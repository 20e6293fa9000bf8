"""Tests that the checks of tools/ catch what they are there for."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import check_comments
import check_coroutines
import check_docs
import check_examples
import check_howtos
import check_layers
import check_prose
import check_type_names
import cpp_text
import python_imports
import skips
import snippets


def coroutine(body: str, parameters: str = "Comm& comm") -> str:
    return f"namespace tradewind {{\nTask work({parameters}) {{\n    {body}\n}}\n}}\n"


def coroutine_faults(text: str) -> list[str]:
    return [fault for _, fault in check_coroutines.check(text)]


@pytest.mark.parametrize(
    "body",
    [
        "co_await comm.send(1, data);",
        "const auto ready = co_await comm.test_any(requests);",
        "const std::int64_t first = co_await comm.wait_any({requests.data(), 3});",
        "for (Rank s = 0; s < p; ++s) co_await comm.send(s, block(s, [0]));",
        "if (p > 1) {\n co_await comm.send(1, data); } else co_await comm.recv(1, data);",
        "switch (p) { case 1: co_await comm.send(1, data); break; default: co_return; }",
        "// if (co_await comm.wait(r)) ...\nco_await comm.wait(request);",
        'co_await comm.send(1, text("a ? b : c"));',
        "const auto step = [](Comm& sub) -> Task { co_await sub.send(0, d); };",
    ],
)
def test_coroutine_lint_accepts_the_two_allowed_places(body: str) -> None:
    assert coroutine_faults(coroutine(body)) == []


@pytest.mark.parametrize(
    ("body", "fault"),
    [
        ("if (co_await comm.wait(request)) stop();", "whole statement"),
        ("while (co_await comm.test(request)) {}", "whole statement"),
        ("for (; co_await comm.test(request);) {}", "whole statement"),
        ("use(co_await comm.wait(request));", "whole statement"),
        ("std::vector<int> values{co_await comm.wait(request)};", "whole statement"),
        ("total += co_await comm.wait(request);", "whole statement"),
        ("co_return co_await comm.wait(request);", "whole statement"),
        ("const auto [a, b] = co_await comm.wait(request);", "whole statement"),
        ("const auto x = p > 1 ? co_await comm.wait(a) : 0;", "whole statement"),
        ("const auto x = co_await (p > 1 ? left : right);", "conditional"),
        ("co_await both(co_await comm.wait(a));", "two co_await"),
        ("co_await apply(comm, [&] { return p; });", "lambda"),
        ("alignas(64) double a[8];\nco_await comm.wait(request);", "alignas"),
    ],
)
def test_coroutine_lint_refuses_what_the_compiler_gets_wrong(body: str, fault: str) -> None:
    assert any(fault in found for found in coroutine_faults(coroutine(body)))


@pytest.mark.parametrize("parameters", ["", "Rank p, Comm& comm", "Comm comm", "const Task& task"])
def test_coroutine_lint_wants_comm_as_first_parameter(parameters: str) -> None:
    text = coroutine("co_await other(comm);", parameters)
    assert coroutine_faults(text) == ["the first parameter of coroutine work must be Comm&"]


def test_coroutine_lint_wants_comm_as_first_parameter_of_lambdas() -> None:
    text = coroutine("run(2, [](int p) -> Task { co_return; });")
    assert coroutine_faults(text) == ["the first parameter of coroutine lambda must be Comm&"]


def test_coroutine_lint_reports_the_line() -> None:
    text = coroutine("co_await comm.wait(a);\n    f(co_await comm.wait(b));")
    assert [line for line, _ in check_coroutines.check(text)] == [4]


def test_coroutine_lint_main_fails_on_a_bad_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bad = tmp_path / "bad.cpp"
    bad.write_text(coroutine("f(co_await comm.wait(b));"))
    assert check_coroutines.main([str(bad)]) == 1
    assert "bad.cpp:3" in capsys.readouterr().out


def write(root: Path, name: str, text: str) -> None:
    path = root / "src" / "tradewind" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def layer_faults(root: Path) -> list[str]:
    return [str(finding) for finding in check_layers.check_includes(root)]


@pytest.mark.parametrize(
    ("file", "include"),
    [
        ("base/a.hpp", "tradewind/comm/comm.hpp"),
        ("comm/a.hpp", "tradewind/sim/kernel/event.hpp"),
        ("sim/network/a.cpp", "tradewind/comm/comm.hpp"),
        ("skeleton/a.cpp", "tradewind/simcomm/virtual_ranks.hpp"),
        ("sim/kernel/a.cpp", "tradewind/sim/network/switching/port.hpp"),
        ("sim/topology/a.cpp", "tradewind/sim/routing/routing.hpp"),
        ("sim/observe/a.cpp", "tradewind/sim/network/switching/port.hpp"),
        ("comm/a.cpp", "mpi.h"),
        ("comm/a.cpp", "tradewind/unheard/of.hpp"),
    ],
)
def test_layer_check_refuses_includes_upwards(tmp_path: Path, file: str, include: str) -> None:
    write(tmp_path, file, f'/// A file.\n#pragma once\n#include "{include}"\n')
    (fault,) = layer_faults(tmp_path)
    assert fault.startswith(f"src/tradewind/{file}:3: ")


@pytest.mark.parametrize(
    ("file", "include"),
    [
        ("comm/a.cpp", "tradewind/base/units.hpp"),
        ("comm/alltoallv/a.cpp", "tradewind/comm/comm.hpp"),
        ("simcomm/a.cpp", "tradewind/sim/network/switching/port.hpp"),
        ("sim/routing/a.cpp", "tradewind/sim/topology/topology.hpp"),
        ("sim/observe/a.cpp", "tradewind/sim/network/message.hpp"),
        ("sim/network/a.cpp", "tradewind/sim/observe/observer.hpp"),
        ("mpi/a.cpp", "mpi.h"),
        ("comm/a.cpp", "vector"),
    ],
)
def test_layer_check_accepts_includes_downwards(tmp_path: Path, file: str, include: str) -> None:
    write(tmp_path, file, f"/// A file.\n#include <{include}>\n")
    assert layer_faults(tmp_path) == []


def test_layer_table_has_no_cycle() -> None:
    folders = {
        name: {use for use in uses if "/" not in use}
        for name, uses in check_layers.SIM_FOLDERS.items()
    }
    for table in (check_layers.LAYERS, folders, check_layers.PYTHON_LAYERS):
        done: set[str] = set()
        while len(done) < len(table):
            ready = {name for name, uses in table.items() if name not in done and uses <= done}
            assert ready, f"a cycle among {set(table) - done}"
            done |= ready


def write_package(root: Path, files: dict[str, str]) -> Path:
    """Writes modules of python/tradewind below the root, beside an empty src/tradewind."""
    (root / "src" / "tradewind").mkdir(parents=True)
    package = root / "python" / "tradewind"
    for name, text in files.items():
        path = package / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return package


def import_faults(root: Path) -> list[str]:
    return [str(finding) for finding in check_layers.check_imports(root)]


@pytest.mark.parametrize(
    "text",
    [
        "from tradewind.runs import store",
        "from tradewind.runs.store import RunStore",
        "import tradewind.runs.store",
        "from ..runs import store",
        "from ..runs.store import RunStore",
        "def load():\n    from tradewind.runs.store import RunStore",
        "if TYPE_CHECKING:\n    from tradewind.runs.store import RunStore",
    ],
)
def test_layer_check_refuses_imports_upwards(tmp_path: Path, text: str) -> None:
    write_package(tmp_path, {"config/a.py": text, "runs/__init__.py": "", "runs/store.py": ""})
    line = text.count("\n") + 1
    assert import_faults(tmp_path) == [
        f"python/tradewind/config/a.py:{line}: layer config must not import layer runs"
    ]
    assert check_layers.main([str(tmp_path)]) == 1


@pytest.mark.parametrize(
    "text",
    [
        "from tradewind import core",
        "from tradewind.config import keys",
        "from tradewind.files import load_toml",
        "from .experiment import Experiment",
        "from tradewind.runs import local",
        "import json, numpy",
    ],
)
def test_layer_check_accepts_imports_downwards(tmp_path: Path, text: str) -> None:
    names = ("__init__", "core", "files", "config/__init__", "config/keys", "runs/__init__")
    files = {f"{name}.py": "" for name in (*names, "runs/local", "runs/experiment")}
    write_package(tmp_path, files | {"runs/a.py": text})
    assert import_faults(tmp_path) == []


def test_layer_check_refuses_a_module_of_no_layer(tmp_path: Path) -> None:
    write_package(tmp_path, {"helpers.py": "from tradewind import errors\n", "errors.py": ""})
    (fault,) = import_faults(tmp_path)
    assert fault.endswith('"helpers" is no layer of python/tradewind')


@pytest.mark.parametrize(
    "back",
    [
        "from tradewind.runs import store",
        "def load():\n    from tradewind.runs.store import RunStore",
        "if TYPE_CHECKING:\n    from tradewind.runs.store import RunStore",
    ],
)
def test_layer_check_refuses_a_circle_of_imports_however_it_is_hidden(
    tmp_path: Path, back: str
) -> None:
    """Within one layer the table allows everything, but not a circle."""
    files = {
        "runs/__init__.py": "",
        "runs/store.py": "from tradewind.runs import limits\n",
        "runs/limits.py": "from tradewind.runs.local import here\n",
        "runs/local.py": back,
        "runs/sweep.py": "from tradewind.runs import store\n",
    }
    package = write_package(tmp_path, files)
    names = ["tradewind.runs.limits", "tradewind.runs.local", "tradewind.runs.store"]
    assert python_imports.circles(python_imports.imports(package)) == [names]
    assert import_faults(tmp_path) == [f"python/tradewind: a circle of imports: {', '.join(names)}"]
    assert check_layers.main([str(tmp_path)]) == 1


def test_size_check_refuses_long_files_and_folders(tmp_path: Path) -> None:
    write(tmp_path, "comm/long.cpp", "int x;\n" * 601)
    write(tmp_path, "comm/longish.cpp", "int x;\n" * 401)
    write(tmp_path, "comm/comm.hpp", "int x;\n" * 131)
    for index in range(31):
        write(tmp_path, f"sim/topology/{index}.hpp", "\n")
    found = {
        str(f) for f in (*check_layers.check_sizes(tmp_path), *check_layers.check_folders(tmp_path))
    }
    assert found == {
        "src/tradewind/comm/long.cpp: lines: 601, at most 600",
        "src/tradewind/comm/longish.cpp: remark: lines: 401, at most 400",
        "src/tradewind/comm/comm.hpp: lines: 131, at most 130",
        "src/tradewind/sim/topology: files: 31, at most 30",
    }
    assert check_layers.main([str(tmp_path)]) == 1


def test_size_check_lists_long_functions(tmp_path: Path) -> None:
    write(
        tmp_path,
        "comm/a.cpp",
        "int f(int x) {\n" + "    ++x;\n" * 60 + "}\nint g() { return 1; }\n",
    )
    (finding,) = check_layers.check_sizes(tmp_path)
    assert finding.is_remark
    assert "a.cpp:1: remark: function f: 62 lines" in str(finding)


def test_function_finder_tells_functions_from_other_braces() -> None:
    text = """
    namespace a { struct B { int x{3}; B() : x(2) {} int y() const noexcept { return x; } };
    template <class T> auto f(T t) -> std::vector<T> { if (t) { for (;;) { } } return {t}; }
    const auto g = [&](int i) { return i; };
    #define WRONG(x) {
    const char* s = "{(";  // } comment
    int big = 1'000'000; char c = '{';
    }"""
    names = [function.name for function in cpp_text.functions(cpp_text.blank(text))]
    assert names == ["x", "y", "f", "lambda"]


def test_output_comparison_takes_dots_for_any_text() -> None:
    snippets.compare("a\nruns ... s\nend\n", "a  \nruns 0.25 s\nend")
    snippets.compare("first\n...\nlast\n", "first\n1\n2\nlast\n")
    with pytest.raises(snippets.SnippetError, match=r"\+c"):
        snippets.compare("a\nb\n", "a\nc\n")


@pytest.mark.parametrize(
    ("page", "fault"),
    [
        ("<!-- checked -->\n```python\nprint(1 / 0)\n```\n", "line 2: .*ZeroDivisionError"),
        ("\n<!-- checked -->\n```bash\nfalse\n```\n", "line 3: .*exit status 1"),
        ("<!-- checked -->\n```toml\na = = 1\n```\n", "line 2: "),
        ("<!-- checked -->\n```cpp\nint main( {}\n```\n", "line 2: .*(exit status 1|no libraries)"),
        (
            "<!-- checked -->\n```bash\necho 3\n```\n<!-- output -->\n```text\n4\n```\n",
            "line 6: .*another",
        ),
        ("<!-- checked -->\nno block\n", "line 1: .*before no code block"),
        ("<!-- checked -->\n```fortran\nend\n```\n", "fortran"),
    ],
)
def test_docs_check_refuses_code_that_does_not_work(tmp_path: Path, page: str, fault: str) -> None:
    path = tmp_path / "page.md"
    path.write_text(page)
    with pytest.raises(snippets.SnippetError, match=f"(?s){fault}"):
        check_docs.check_page(path)


def test_docs_check_runs_blocks_of_a_page_in_one_folder(tmp_path: Path) -> None:
    path = tmp_path / "page.md"
    path.write_text(
        "<!-- checked: data/two.txt.py -->\n```python\nprint(2)\n```\n"
        "<!-- checked -->\n```bash\npython data/two.txt.py\n```\n"
        "<!-- output -->\n```text\n2\n```\n"
        "```python\nnever run\n```\n"
    )
    assert check_docs.check_page(path) == 3


def test_docs_check_saves_named_blocks_for_other_compilers(tmp_path: Path) -> None:
    path = tmp_path / "page.md"
    text = "<!-- checked: one.c -->\n```c\nint one;\n```\n"
    shown = "<!-- checked -->\n```bash\ncat one.c\n```\n<!-- output -->\n```text\nint one;\n```\n"
    path.write_text(text + shown)
    assert check_docs.check_page(path) == 3
    path.write_text(text.replace(": one.c", "") + shown)
    with pytest.raises(snippets.SnippetError, match='cannot check the language "c"'):
        check_docs.check_page(path)


def test_a_page_that_needs_mpi_is_skipped_without_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv(skips.VARIABLE, raising=False)
    monkeypatch.setattr(check_docs, "have_mpi", lambda: False)
    path = tmp_path / "page.md"
    path.write_text("<!-- needs: MPI -->\n<!-- checked -->\n```bash\nfalse\n```\n")
    assert check_docs.check_page(path) == 0
    assert "no MPI" in capsys.readouterr().out


def test_an_example_that_cannot_run_here_is_skipped_and_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv(skips.VARIABLE, raising=False)
    (tmp_path / "many.py").write_text("# ranks: 2\nraise SystemExit(1)\n")
    (tmp_path / "one.py").write_text("print('one')\n")
    (tmp_path / "one.out").write_text("one\n")
    monkeypatch.setattr(check_examples, "have_mpi", lambda: False)
    monkeypatch.setattr(check_examples.shutil, "which", lambda name: None)
    assert check_examples.main([str(tmp_path)]) == 0
    assert "many.py: no MPI\n1 examples passed, 0 failed" in capsys.readouterr().out
    (tmp_path / "model.f90").write_text("end\n")
    assert check_examples.why_skipped(tmp_path / "model.f90") == "no Fortran compiler"


def test_example_check_needs_the_expected_output(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert check_examples.main([str(tmp_path)]) == 1
    (tmp_path / "one.py").write_text("print('one')\n")
    assert check_examples.main([str(tmp_path)]) == 1
    (tmp_path / "one.out").write_text("two\n")
    assert check_examples.main([str(tmp_path)]) == 1
    (tmp_path / "one.out").write_text("one\n")
    assert check_examples.main([str(tmp_path)]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "1 examples passed, 0 failed"


LONG = "word " * 20 + "end"


@pytest.mark.parametrize(
    "page",
    [
        f"{LONG}\n",
        f"# {LONG}\n",
        f"- short\n\n  {LONG}\n",
        f"- short\n\n    {LONG}\n",
        f"`term`\n: {LONG}\n",
        f":::{{note}}\n{LONG}\n:::\n",
        f"```python\npass\n```\n{LONG}\n",
        f"```text\n    ```\n{LONG}\n",
        f"{LONG} and [a page](page.md)\n",
    ],
)
def test_prose_check_refuses_long_lines(page: str) -> None:
    (fault,) = [fault for _, fault in check_prose.check(page + "\n")]
    assert re.fullmatch(r"\d+ columns of prose, at most 100", fault)


@pytest.mark.parametrize(
    "page",
    [
        f"{LONG[:100]}\n",
        f"```python\n{LONG}\n```\n",
        f"````text\n```\n{LONG}\n```\n````\n",
        f"text\n\n    {LONG}\n\n    {LONG}\n",
        f"| {LONG} |\n",
        f"![{LONG}](picture.png)\n",
        f"<!-- {LONG} -->\n",
        f"A [page](https://example.org/{'x' * 100}) and https://example.org/{'y' * 100}\n",
    ],
)
def test_prose_check_counts_no_code_tables_images_or_addresses(page: str) -> None:
    assert list(check_prose.check(page)) == []


def test_prose_check_wants_nine_of_ten_sentences_short(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    short = "A sentence of five words.\n"
    long = "word " * 15 + "\n" + "word " * 15 + "end.\n"
    page = tmp_path / "page.md"
    page.write_text("# " + "word " * 15 + "\n\n" + long + short * 9)
    assert check_prose.sentence_lengths(page.read_text()) == [31, *[5] * 9]
    assert check_prose.main([str(page)]) == 0
    page.write_text(long + short * 8 + f"\n{LONG}\n")
    assert check_prose.main([str(page)]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert f"{page}:12: 103 columns of prose, at most 100" in lines
    page.write_text(long * 2 + short * 9)
    assert check_prose.main([str(page)]) == 1
    assert "9 of 11 sentences have at most 30 words: less than 90%" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("sentence", "numbers"),
    [
        ("It takes 5 to 8 % longer on 10,000 ranks.", ["5", "8", "10,000"]),
        ("From 1e5 ranks on, -2.5 % of 64.", ["1e5", "2.5", "64"]),
        ("A grid of 288 x 144 x 256 points on $10^6$ ranks.", ["288 x 144 x 256", "1"]),
        ("In figures 5a to 5c and Table 4, ring-4 and Z22 of SST/macro 7.1 differ by 3.", ["3"]),
        ("MPICH 5.0.2 on the T3E-900 with (0,6) and (2,x) on 8x14 has a 99th percentile.", []),
        ("`ne = 30` and [this](https://example.org/1/2/3) has four formulas $p$.", []),
    ],
)
def test_prose_check_counts_quantities_and_no_names(sentence: str, numbers: list[str]) -> None:
    assert check_prose.numbers(sentence) == numbers


def test_prose_check_wants_few_numbers_in_a_sentence_of_a_study(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    many = "With 1, 2\nor 3 ranks it is slow.\n"
    few = "**With 1 or 2 ranks.** With 3 or 4:\n\n- 5 ranks\n- 6 ranks\n\n| 7 | 8 | 9 |\n"
    few += "\n$$\n1 2 3\n$$\n"
    folder = tmp_path / "docs" / "studies"
    folder.mkdir(parents=True)
    page = folder / "page.md"
    page.write_text(f"# 1, 2, 3 and 4\n{few}")
    assert check_prose.main([str(page)]) == 0
    page.write_text(f"# 1\n\nA text.\nA line. {many}\n{few}")
    assert check_prose.main([str(page)]) == 1
    fault = '3 numbers in the sentence "With 1, 2 or 3 ranks ...", at most 2'
    assert capsys.readouterr().out.splitlines()[-1] == f"{page}:4: {fault}"
    elsewhere = tmp_path / "page.md"
    elsewhere.write_text(many)
    assert check_prose.main([str(elsewhere)]) == 0


@pytest.mark.parametrize(
    "comment",
    [
        "/// Returns whether all parts have the same size.",
        "/// The sizes of blocks.\n/// As in MPI, in bytes.",
        "///     With 3 ranks    rank 0    rank 1",
        "/// Forwards what arrives; Offsets are in bytes.",
        "// As the standard says.",
        "Rank to;  /// Of the message.",
    ],
)
def test_comment_lint_accepts_sentences_and_drawings(comment: str) -> None:
    assert list(check_comments.check(comment + "\nint code;\n")) == []


@pytest.mark.parametrize(
    ("comment", "line", "word"),
    [
        ("/// Whether all parts have the same size.", 1, "Whether"),
        ("int before;\n    /// Of all ranks.", 2, "Of"),
        ("/// The ranks.\n///\n/// By puts: the same.", 3, "By"),
        ("/// @brief What it costs.", 1, "What"),
    ],
)
def test_comment_lint_refuses_fragments(comment: str, line: int, word: str) -> None:
    faults = list(check_comments.check(comment + "\nint code;\n"))
    assert [(number, f'"{word}"' in fault) for number, fault in faults] == [(line, True)]


@pytest.mark.parametrize(
    ("text", "line", "word"),
    [
        ('def f():\n    """Whether it is so."""\n', 2, "Whether"),
        ('"""From an experiment to its results."""\n', 1, "From"),
        ("x = 1\n# What it costs, in\n# Where it stands.\n", 2, "What"),
    ],
)
def test_comment_lint_refuses_fragments_in_python(text: str, line: int, word: str) -> None:
    faults = list(check_comments.check_python(text))
    assert [(number, f'"{word}"' in fault) for number, fault in faults] == [(line, True)]


def test_comment_lint_accepts_sentences_in_python() -> None:
    text = (
        '"""Returns\nwhat it costs."""\n# As the paper has it,\n# of all ranks.\nx = 1  # Of all.\n'
    )
    assert list(check_comments.check_python(text)) == []


def test_comment_lint_reads_all_sources(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for place, text in {
        "src/size.hpp": "/// Of a block.\nint size;\n",
        "python/size.py": "# Of a block.\nsize = 1\n",
        "docs/size.hpp": "/// Of a block.\n",
    }.items():
        (tmp_path / place).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / place).write_text(text)
    assert check_comments.main([]) == 1
    assert capsys.readouterr().out.splitlines() == [
        'src/size.hpp:1: a comment starts with "Of": begin with a verb or a noun',
        'python/size.py:1: a comment starts with "Of": begin with a verb or a noun',
        "comments: 2 files, 2 fragments",
    ]


def test_former_names_must_not_come_back(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    header = tmp_path / "src" / "a.hpp"
    header.parent.mkdir()
    header.write_text("// All ranks together: the cargo.\nint payload;\n")
    assert check_type_names.main([str(tmp_path)]) == 0
    header.write_text("void receive(Bytes cargo);\n")
    assert check_type_names.main([str(tmp_path)]) == 1
    assert 'src/a.hpp: "cargo" is now "payload"' in capsys.readouterr().out


_CLASS = """
class alignas(64) Port final : public Base<int> {
public:
    Port() = default;
    Port(const Port&) = delete;
    explicit Port(int width) : width_(width), taken_{} { reset([] { return 1; }); }
    [[nodiscard]] int width() const noexcept { return width_; }
    template <class T>
    void take(T&& packet) {
        if (packet) { int local_ = 1; use(local_); }
    }
    void reset(int value = 0);
private:
    friend class Switch;
    using Queue = std::vector<int>;
    struct Inner {
        int inner_;
        void call();
    };
    enum class Mode { a, b };
    int width_ = 0;
    std::array<int, 3> taken_{};
    int queue_[4];
    Map<std::function<void(int)>> calls_;
};
struct Record { int first_; };
enum class Kind { a };
class Declared;
"""


def test_functions_and_members_of_a_class_are_counted() -> None:
    (size,) = cpp_text.class_sizes(cpp_text.blank(_CLASS))
    assert (size.name, size.line, size.functions, size.members) == ("Port", 2, 5, 4)


@pytest.mark.parametrize(
    ("folder", "functions", "members", "faults"),
    [
        ("sim/network", 25, 15, 0),
        ("sim/network", 26, 15, 1),
        ("simcomm", 25, 16, 1),
        ("simcomm/rank", 26, 16, 2),
        ("comm", 26, 16, 0),
    ],
)
def test_class_check_refuses_classes_of_the_network_that_do_too_much(
    tmp_path: Path, folder: str, functions: int, members: int, faults: int
) -> None:
    path = tmp_path / "src" / "tradewind" / folder / "port.hpp"
    path.parent.mkdir(parents=True)
    body = [f"void f{i}();" for i in range(functions)] + [f"int m{i}_;" for i in range(members)]
    path.write_text("class Port {\n" + "\n".join(body) + "\n};\n")
    assert len(list(check_layers.check_classes(tmp_path))) == faults


def test_type_names_are_those_of_definitions_with_a_body() -> None:
    text = """
        // struct Comment {
        class Declared;
        using Alias = Other;
        class [[nodiscard]] Plain final : public Base<int> {};
        struct alignas(64) Outer::Nested { enum class Kind : int { a }; };
        template <> struct Special<double> {};
        template <class Item> struct Generic {};
        struct Used value{};
    """
    assert check_type_names.definitions(text) == {"Plain", "Nested", "Kind", "Generic"}


@pytest.mark.parametrize(("shared", "status"), [(3, 0), (4, 1)])
def test_type_name_lint_allows_three_names_in_several_files(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], shared: int, status: int
) -> None:
    both = "".join(f"struct Shared{number} {{}};\n" for number in range(shared))
    for place, text in {
        "src/a.hpp": both + "struct One {};\n",
        "src/b.cpp": both,
        "tests/cpp/d.cpp": "struct One {};\n",
    }.items():
        (tmp_path / place).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / place).write_text(text)
    assert check_type_names.main([str(tmp_path)]) == status
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "Shared0: defined in src/a.hpp, src/b.cpp"
    assert lines[-1].startswith(f"type names: {shared + 1}, {shared} in more than one file")


def test_every_paper_named_in_the_sources_is_in_the_references() -> None:
    """A comment such as "(zheng2018)" is a key of docs/references.bib."""
    root = Path(__file__).parents[2]
    known = set(re.findall(r"^@\w+\{(\w+),", (root / "docs" / "references.bib").read_text(), re.M))
    named = {
        key: path.relative_to(root)
        for path in (root / "src").rglob("*.[ch]pp")
        for key in re.findall(r"\b[a-z]{3,}(?:19|20)\d\d\b", path.read_text())
    }
    assert {key: path for key, path in named.items() if key not in known} == {}


def test_a_diff_without_line_numbers_is_applied_where_its_context_stands_once() -> None:
    before = "first\nsecond\nthird\n"
    diff = " second\n+between\n third\n...\n-first\n+zeroth\n"
    assert check_howtos.apply_diff(before, diff) == "zeroth\nsecond\nbetween\nthird\n"


@pytest.mark.parametrize(
    ("diff", "fault"),
    [
        (" fourth\n+fifth\n", "stand there 0 times"),
        (" same\n+more\n", "stand there 2 times"),
        (" econd\n+more\n", "stand there 0 times"),
        ("second\n", "begin with a blank"),
        ("+alone\n", "not once"),
    ],
)
def test_a_diff_whose_context_is_not_there_or_not_unique_is_refused(diff: str, fault: str) -> None:
    with pytest.raises(snippets.SnippetError, match=fault):
        check_howtos.apply_diff("same\nsecond\nsame\n", diff)


def test_marks_of_howtos_are_read_and_unknown_ones_refused(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "<!-- patch: adds a/b.cpp -->\n```cpp\nint x;\n```\n<!-- patch: tests comm -->\n"
    )
    steps = check_howtos.read_howto(page).steps
    assert [(step.what, step.words, step.text) for step in steps] == [
        ("adds", ("a/b.cpp",), "int x;\n"),
        ("tests", ("comm",), ""),
    ]
    page.write_text("<!-- patch: add a/b.cpp -->\n```cpp\nint x;\n```\n")
    with pytest.raises(snippets.SnippetError, match="is unknown"):
        check_howtos.read_howto(page)
    page.write_text("<!-- patch: runs -->\nno block\n")
    with pytest.raises(snippets.SnippetError, match="no block"):
        check_howtos.read_howto(page)


@pytest.mark.parametrize(
    ("text", "folder", "files"),
    [
        # The fast path of calls that block.
        ("is_plain", "", 2),
        # The messages of a rendezvous, in rendezvous.hpp and rendezvous.cpp.
        ("launch(worker_, id, MessageKind::", "simcomm", 2),
        ("simulation_->", "simcomm", 0),
    ],
)
def test_an_idea_is_in_few_files(text: str, folder: str, files: int) -> None:
    source = Path(__file__).parents[2] / "src" / "tradewind" / folder
    sources = [path for path in source.rglob("*") if path.suffix in (".cpp", ".hpp")]
    assert len(sources) > 10
    found = [str(path) for path in sources if text in path.read_text(encoding="utf-8")]
    assert len(found) <= files, found
