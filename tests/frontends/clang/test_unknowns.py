"""What the text tells about an unknown name."""

from __future__ import annotations

import pytest

from kernlint.frontends.clang.compiler import Diagnostic
from kernlint.frontends.clang.kinds import Severity
from kernlint.frontends.clang.unknowns import Role, Unknown, unknown_names
from kernlint.frontends.clang.uses import Uses, argument_place, template_arguments


def error(message: str, offset: int = 0) -> Diagnostic:
    return Diagnostic(Severity.ERROR, message, "k.cu", 1, 1, offset)


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("unknown type name 'T1'", Unknown("", "T1", Role.TYPE)),
        ("use of undeclared identifier 'x'", Unknown("", "x", None)),
        ("no template named 'V'", Unknown("", "V", Role.TYPE)),
        ("no member named 'f' in namespace 'a::b'", Unknown("a::b", "f", None)),
        ("no type named 't' in namespace 'a'", Unknown("a", "t", Role.TYPE)),
        ("no member named 'm' in 'a::C<int>'", Unknown("a::C", "m", None, True)),
        ("no member named 'g' in the global namespace", Unknown("", "g", None)),
        ("variable has incomplete type 'n::S'", Unknown("n", "S", Role.TYPE)),
        ("call to undeclared function 'f'; ISO C99 and later", Unknown("", "f", Role.FUNCTION)),
    ],
)
def test_messages(message: str, expected: Unknown) -> None:
    assert list(unknown_names([error(message)], {})) == [expected]


def test_messages_that_name_nothing() -> None:
    assert not list(unknown_names([error("expected ';'"), error("unknown type name 'float'")], {}))
    text = "  MACRO(x);"
    found = unknown_names([error("a type specifier is required for all declarations", 2)], {"k.cu": text})
    assert [unknown.name for unknown in found] == ["MACRO"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<int, 4> x", ("int", "4")),
        ("<Pair<int, long>, 2>(y)", ("Pair<int, long>", "2")),
        ("<f(a < b, c)>", ("f(a < b, c)",)),
        ("<> x", ()),
        (" < b && c > d", None),
        (" < n; i > 0", None),
        (" < 10) return", None),
        ("<< 4", None),
        ("(x)", None),
    ],
)
def test_template_arguments(text: str, expected: tuple[str, ...] | None) -> None:
    assert template_arguments(text, 0)[0] == expected


@pytest.mark.parametrize(
    ("argument", "declared", "value"),
    [
        ("4", "", True),
        ("N + 1", "", True),
        ("true", "", True),
        ("float", "", False),
        ("float*", "", False),
        ("ns::Type<int>", "", False),
        ("ns::flag_v", "", True),
        ("N", "template <int N>", True),
        ("N", "template <typename N>", False),
        ("BLOCK_SIZE", "", True),
        ("kThreads", "", True),
        ("Element", "", False),
        ("uint32_t", "", False),
        ("W", "#define W 8", True),
    ],
)
def test_values_and_types(argument: str, declared: str, value: bool) -> None:
    assert Uses([f"{declared} X<{argument}>"]).is_value(argument) is value


def test_comments_and_strings_are_no_uses() -> None:
    uses = Uses(['// Name x;\n/* Name y; */ "Name z;"\nName(1);'])
    (use,) = uses.of("Name")
    assert use.after.startswith("(1)")


@pytest.mark.parametrize(
    ("text", "mark", "expected"),
    [
        ("Reduce<int, @256> r;", "@", ("Reduce", 1)),
        ("ns::Reduce<@int, 256> r;", "@", ("Reduce", 0)),
        ("R<P<int, 4>, f(1, 2), @N>", "@", ("R", 2)),
        ("f(1, @2)", "@", None),
        ("a < b; @c", "@", None),
    ],
)
def test_places_of_arguments(text: str, mark: str, expected: tuple[str, int] | None) -> None:
    assert argument_place(text.replace(mark, ""), text.index(mark)) == expected


def test_a_place_behind_the_text_is_none() -> None:
    """A diagnostic may lie in a header whose text nobody has read, where there is nothing to look back into."""
    assert argument_place("", 40) is None
    assert argument_place("R<int>", 40) is None
