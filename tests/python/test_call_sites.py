"""Names of call sites, as tables and experiments show them."""

import pytest

from tradewind.trace.call_sites import _without_types as without_types
from tradewind.trace.call_sites import named


@pytest.mark.parametrize(
    ("function", "name"),
    [
        ("main", "main"),
        ("solver_", "solver_"),
        ("(anonymous namespace)::foo(int)", "foo"),
        ("model::Halo<double>::exchange(std::vector<int> const&) const", "model::Halo::exchange"),
        ("std::enable_if<a<b>::value, int>::type lib::sum<long>(int, c<d>&)", "lib::sum"),
        ("foo(int) [clone .cold]", "foo"),
        ("a::operator<(b const&)", "a::operator<(b const&)"),
    ],
)
def test_a_function_is_named_without_its_types(function: str, name: str) -> None:
    assert without_types(function) == name


def test_a_place_without_a_module_keeps_its_function_or_gets_its_offset() -> None:
    sites = [("/nowhere/model", 0x10, "step"), ("/nowhere/model", 0x20, "")]
    assert [name for _, _, name in named(sites)] == ["step", "model+0x20"]
