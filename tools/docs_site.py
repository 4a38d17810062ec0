"""Pages of the documentation site that are made from the code: the start page, the rules, the command line.

``mkdocs.yml`` names this file as a hook; nothing it makes is kept in the repository.
"""

from __future__ import annotations

import argparse
import ast
import importlib
import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

from kernlint.cli.options import COMMANDS, parser
from kernlint.registry import CONTROL_CODES, CONTROL_TEXTS, Registry, load
from kernlint.report.page import options_markdown
from kernlint.rule import ModuleRule, Rule, RuleClass, document

ROOT = Path(__file__).parents[1]

FAMILIES = {
    "bounds": "Accesses outside of arrays.",
    "synchronisation": "Races, barriers, warps and fences.",
    "resources": "Registers, private and shared memory.",
    "indexing": "Index arithmetic and the shape of blocks and grids.",
    "memory": "Alignment, aliases and memory nobody has written.",
    "language": "What the dialects forbid or leave undefined.",
    "python": "Python programs that launch kernels, and kernels written in Python.",
    "launch": "What launches ask for.",
}
"""What a family is about; one that is missing here is listed without a word."""


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Put the pages of the rules into the navigation, and what is in ``docs/`` but was not put there."""
    registry = load()
    pages: list[Any] = ["rules/index.md"]
    for family in _families(registry):
        rules = [rule for rule in registry.rules if registry.families[rule.meta.code] == family]
        pages.append({_title(family): [{_name(rule): _path(rule)} for rule in rules]})
    pages.append({"Directives": [{f"{code} {name}": f"rules/{name}.md"} for code, name in CONTROL_CODES.items()]})
    assert config.nav is not None
    for entry in config.nav:
        if isinstance(entry, dict) and "Rules" in entry:
            entry["Rules"] = pages
        if isinstance(entry, dict) and "Development" in entry:
            listed = str(config.nav)
            entry["Development"] += sorted(p.name for p in (ROOT / "docs").glob("*.md") if f"{p.name}'" not in listed)
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages that are made."""
    registry = load()
    made = {
        "index.md": _start_page(),
        "command-line.md": _command_line(),
        "reference.md": reference(),
        "rules/index.md": _index(registry),
        **{_path(rule): _rule_page(rule, registry) for rule in registry.rules},
        **{f"rules/{name}.md": f"# {code} {name}\n\n{CONTROL_TEXTS[code]}\n" for code, name in CONTROL_CODES.items()},
    }
    for path, text in made.items():
        files.append(File.generated(config, path, content=text))
    return files


# ------------------------------------------------------------------------------------------------- rules


def _families(registry: Registry) -> list[str]:
    return list(dict.fromkeys(registry.families[rule.meta.code] for rule in registry.rules))


def _title(family: str) -> str:
    return family.replace("-", " ").capitalize()


def _name(rule: RuleClass) -> str:
    return f"{rule.meta.code} {rule.meta.name}"


def _path(rule: RuleClass) -> str:
    return f"rules/{rule.meta.name}.md"


def _index(registry: Registry) -> str:
    text = (
        "# Rules\n\n"
        "Every page is the docstring of its rule, which `kernlint rule NAME` prints too; the examples on it are run as "
        "tests.\n"
    )
    for family in _families(registry):
        text += f"\n## {_title(family)}\n\n{FAMILIES.get(family, '')}\n\n| rule | level | |\n|---|---|---|\n"
        for rule in registry.rules:
            if registry.families[rule.meta.code] == family:
                link = f"[{_name(rule)}]({rule.meta.name}.md)"
                text += f"| {link} | {rule.meta.severity.value} | {_cell(document(rule).title)} |\n"
    text += "\n## Directives\n\nAbout comments that silence findings.\n\n| rule | level | |\n|---|---|---|\n"
    for code, name in CONTROL_CODES.items():
        text += f"| [{code} {name}]({name}.md) | warning | {_cell(CONTROL_TEXTS[code])} |\n"
    return text


def _rule_page(rule: RuleClass, registry: Registry) -> str:
    meta = rule.meta
    page = document(rule)
    facts = {
        "family": f"[{registry.families[meta.code]}](index.md#{registry.families[meta.code]})",
        "loudest level": meta.severity.value,
        "precision": meta.precision,
        "since": meta.since,
        "guidelines and topics": ", ".join(meta.tags),
        "quick fixes": "yes" if rule.fixes not in (Rule.fixes, ModuleRule.fixes) else "no",
    }
    rows = [(name, value) for name, value in facts.items() if value]
    text = f"# {_name(rule)}\n\n{page.title}\n\n"
    text += "".join(f"| {' | '.join(cells)} |\n" for cells in zip(*rows, strict=True)).replace(
        "\n", f"\n|{'---|' * len(rows)}\n", 1
    )
    text += f"\n{_examples(_linked(page.body, registry, but=meta.name))}\n"
    if options := options_markdown(rule):
        text += f"\n## Options\n\nIn `[tool.kernlint.rules.{meta.name}]`:\n\n{options}"
    return (
        f"{text}\n## To silence it\n\n```c\n// kernlint: ignore[{meta.name}] why it is right here\n```\n\n"
        f'For whole files or projects: `ignore = ["{meta.code}"]` in the [configuration](../configuration.md).\n'
    )


_FENCE = re.compile(r"^```(\w+) (bad|good)\b[^\n]*\n(.*?)^```[ \t]*$", re.M | re.S)
_MARK = re.compile(r"[ \t]*(?://|#)[ \t]*expect:[^\n]*")
_LEXERS = {"cuda": "cuda", "hip": "cuda", "opencl": "c", "python": "python"}
_LANGUAGES = {"cuda": "CUDA", "hip": "HIP", "opencl": "OpenCL", "python": "Python"}


def _examples(body: str) -> str:
    """The text of a rule with its fences as examples under headings; lines with findings are highlighted."""
    before = ""

    def fence(match: re.Match[str]) -> str:
        nonlocal before
        language, verdict, code = match.groups()
        heading = "## Reported\n\n" if verdict == "bad" else "## Not reported\n\n"
        heading, before = ("" if heading == before else heading), heading
        marked = [str(number) for number, line in enumerate(code.splitlines(), 1) if _MARK.search(line)]
        lines = f' hl_lines="{" ".join(marked)}"' if marked else ""
        return f'{heading}```{_LEXERS[language]} title="{_LANGUAGES[language]}"{lines}\n{_MARK.sub("", code)}```'

    return _FENCE.sub(fence, body)


def _linked(body: str, registry: Registry, but: str) -> str:
    """The text of a rule in which names of others are links."""
    names = {rule.meta.name for rule in registry.rules} - {but}
    parts = re.split(r"(^```.*?^```[ \t]*$)", body, flags=re.M | re.S)
    for index in range(0, len(parts), 2):
        parts[index] = re.sub(
            r"`([a-z-]+)`",
            lambda match: f"[{match[0]}]({match[1]}.md)" if match[1] in names else match[0],
            parts[index],
        )
    return "".join(parts)


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


# --------------------------------------------------------------------------------------------- the reference

REFERENCE = {
    "kernlint.rule": "What a rule is made of.",
    "kernlint.finding": "What a rule says.",
    "kernlint.analysis.base": "Analyses, and the facts they give.",
    "kernlint.analysis.trace.events": "What the walk of a kernel records: `facts[trace]` is a `Trace`.",
    "kernlint.analysis.trace.values": "Values that are no numbers: pointers, structs, vectors.",
    "kernlint.analysis.launching.launches": "Launches in sight: `facts[launches]`.",
    "kernlint.analysis.launching.agreement": "Whether threads agree: `facts[agreement]`.",
    "kernlint.symbolic.terms": "Values as terms, and what may be asked of them.",
    "kernlint.symbolic.intervals": "Bounds of terms.",
    "kernlint.symbolic.uniformity": "How much terms vary between threads, bounded above and below.",
    "kernlint.tree.nodes": "The tree of a file, the same for all dialects.",
    "kernlint.tree.types": "Types and address spaces.",
    "kernlint.tree.walk": "Ways through the tree.",
    "kernlint.tree.reach": "Calls, through helpers and loops.",
    "kernlint.symbolic.polynomial": "Terms as sums of products: strides and offsets.",
    "kernlint.testing": "Examples of rules, run as tests.",
}
"""The modules whose public names rules may use, each with a word on what it is."""


def reference() -> str:
    """The page of what rules may ask, put together from docstrings."""
    text = (
        "# Reference\n\nWhat a rule may ask, from the docstrings. [Rule packs](rule-packs.md) tells how to begin, and "
        "`kernlint dump facts FILE` shows the facts of a kernel.\n"
    )
    for name, what in REFERENCE.items():
        text += f"\n## `{name}`\n\n{what}\n"
        for entry in _entries(importlib.import_module(name)):
            text += f"\n{entry}\n"
    return text


def _entries(module: ModuleType) -> Iterator[str]:
    """An entry for each public class, function and documented constant that the module defines, in its order."""
    tree = ast.parse(inspect.getsource(module))
    bases = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
    for node, after in zip(tree.body, [*tree.body[1:], None], strict=True):
        if isinstance(node, ast.ClassDef | ast.FunctionDef) and not node.name.startswith("_"):
            if isinstance(node, ast.ClassDef):  # what a class has of a base that is not public is its own
                hidden = [base.id for base in node.bases if isinstance(base, ast.Name) and base.id.startswith("_")]
                node.body += [member for name in hidden if name in bases for member in bases[name].body]
            yield _entry(node)
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            target = node.targets[0] if isinstance(node, ast.Assign) else node.target
            documented = isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant)
            if isinstance(target, ast.Name) and not target.id.startswith("_") and documented:
                assert isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant)
                yield f"`{target.id}`: {inspect.cleandoc(str(after.value.value))}"


def _entry(node: ast.ClassDef | ast.FunctionDef) -> str:
    said = _prose(ast.get_docstring(node) or "")
    if isinstance(node, ast.FunctionDef):
        return f"### `{node.name}({ast.unparse(node.args)})`\n\n{said}"
    lines = [f"### `class {node.name}`", said]
    fields = [
        f"`{item.target.id}: {ast.unparse(item.annotation)}`"
        for item in node.body
        if isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name) and not item.target.id.startswith("_")
    ]
    if fields:
        lines.append("Fields: " + ", ".join(fields) + ".")
    members = [
        f"`{target.id} = {ast.unparse(item.value)}`"
        for item in node.body
        if isinstance(item, ast.Assign) and isinstance(target := item.targets[0], ast.Name) and target.id.isupper()
    ]
    if members:
        lines.append("Members: " + ", ".join(members) + ".")
    methods = [
        f"- `{item.name}({ast.unparse(item.args)})`: {_prose(ast.get_docstring(item) or '')}"
        for item in node.body
        if isinstance(item, ast.FunctionDef) and not item.name.startswith("_")
    ]
    return "\n\n".join(filter(None, [*lines, "\n".join(methods)]))


_ROLE = re.compile(r":(?:class|func|data|mod|meth|attr):`~?([^`]+)`")


def _prose(text: str) -> str:
    """A docstring as Markdown: roles become code, and examples of rules stay with the rules."""
    return " ".join(_ROLE.sub(r"`\1`", text).replace("``", "`").split())


# ------------------------------------------------------------------------------------------------- other pages


def _start_page() -> str:
    """The README, whose links begin at the root of the repository."""
    return re.sub(r"\]\(docs/", "](", (ROOT / "README.md").read_text(encoding="utf-8"))


def _command_line() -> str:
    top = parser()
    (commands,) = (action for action in top._actions if isinstance(action, argparse._SubParsersAction))
    helps = {choice.dest: choice.help for choice in commands._choices_actions}
    text = f"# Command line\n\n{top.epilog}\n"
    for name in COMMANDS:
        command = commands.choices[name]
        text += f"\n## kernlint {name}\n\n{helps[name].capitalize()}.\n"
        for group in command._action_groups:
            shown = [action for action in group._group_actions if action.help is not argparse.SUPPRESS]
            rows = [_option(action) for action in shown if not isinstance(action, argparse._HelpAction)]
            if rows:
                title = (group.title or "options").removeprefix("positional ")
                text += f"\n| {title} | |\n|---|---|\n" + "".join(rows)
    return text


def _option(action: argparse.Action) -> str:
    value = action.metavar or ("|".join(map(str, action.choices)) if action.choices else "")
    takes = f" {value}" if value and action.nargs != 0 else ""
    names = ", ".join(f"`{flag}{takes}`" for flag in action.option_strings) or f"`{value or action.dest}`"
    return f"| {_cell(names)} | {_cell((action.help or '').replace('%%', '%'))} |\n"
