from __future__ import annotations

import os
import shutil
import subprocess

import pytest

from kernlint.project import discovery, git, gitignored
from kernlint.project.git import GitError

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")

BAD = "__global__ void k() { bad(); }\n"


def command(*arguments, cwd="."):
    identity = ["-c", "user.name=n", "-c", "user.email=e@example.org", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", *identity, *arguments], check=True, capture_output=True, cwd=cwd)


@pytest.fixture
def repository(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    command("init", "-q")
    return tmp_path


def commit(*names):
    command("add", *(names or ["."]))
    command("commit", "-qm", "more")


def found(*paths, **more):
    return [file.path.replace(os.sep, "/") for file in discovery.find(paths or ["."], **more)]


def test_what_git_ignores_is_not_walked(repository):
    for name in ("gen/a.cu", "gen/deep/b.cu", "sub/c.skip.cu", "sub/d.cu", "tracked.skip.cu", "e.cu"):
        (repository / name).parent.mkdir(parents=True, exist_ok=True)
        (repository / name).write_text(BAD)
    (repository / ".gitignore").write_text("gen/\n*.skip.cu\n")
    command("add", "-f", "tracked.skip.cu")
    assert found() == ["e.cu", "tracked.skip.cu", "sub/d.cu"]
    assert found("sub") == ["sub/d.cu"]
    assert found("sub/c.skip.cu") == ["sub/c.skip.cu"], "a named file is meant"
    assert found("gen") == ["gen/a.cu", "gen/deep/b.cu"], "a named folder is meant"
    assert found("gen/deep") == ["gen/deep/b.cu"]
    assert len(found(gitignore=False)) == 6


def test_a_repository_inside_has_its_own_rules(repository):
    (repository / "inner").mkdir()
    command("init", "-q", cwd="inner")
    (repository / ".gitignore").write_text("a.cu\n")
    (repository / "inner" / ".gitignore").write_text("b.cu\n")
    for name in ("a.cu", "b.cu", "inner/a.cu", "inner/b.cu"):
        (repository / name).write_text(BAD)
    assert found() == ["b.cu", "inner/a.cu"]


def test_the_options_reach_the_walk(kernlint, repository):
    (repository / ".gitignore").write_text("a.cu\n")
    (repository / "a.cu").write_text(BAD)
    assert kernlint("--show-files", ".")[1] == ""
    assert kernlint("--show-files", "--no-gitignore")[1] == "a.cu\n"
    assert "nothing-to-do" in kernlint("--format", "json")[1]
    assert kernlint("--no-gitignore")[0] == 1


def test_without_git_nothing_is_ignored(repository, monkeypatch):
    (repository / ".gitignore").write_text("a.cu\n")
    (repository / "a.cu").write_text(BAD)
    monkeypatch.setenv("PATH", "")
    assert found() == ["a.cu"]
    with pytest.raises(GitError, match="git cannot be run"):
        git.changes("HEAD", ".")


# --------------------------------------------------------------------------------------------------- diffs


def test_only_what_a_diff_touches_is_reported(kernlint, repository):
    old = "__global__ void old() {\n  bad();\n}\n"
    (repository / "a.cu").write_text(old + "__global__ void other() {\n  good();\n}\n")
    (repository / "b.cu").write_text(old)
    commit()
    assert kernlint("--diff", "HEAD")[0] == 0
    (repository / "a.cu").write_text("\n\n" + old + "__global__ void other() {\n  bad();\n}\n")
    (repository / "new file.cu").write_text(BAD)
    code, out, _ = kernlint("--diff", "HEAD", "--format", "concise", "-q")
    assert code == 1 and [line.split(":")[:2] for line in out.splitlines()] == [["a.cu", "7"], ["new file.cu", "1"]]
    commit()
    assert kernlint("--diff", "HEAD")[0] == 0 and kernlint("--diff", "HEAD~1")[0] == 1


def test_a_sub_folder_sees_the_same(kernlint, repository, monkeypatch):
    (repository / "sub").mkdir()
    (repository / "sub" / "a.cu").write_text("// nothing\n")
    commit()
    (repository / "sub" / "a.cu").write_text(BAD)
    assert "sub/a.cu:1:" in kernlint("--diff", "HEAD", "--format", "concise")[1]
    monkeypatch.chdir(repository / "sub")
    assert kernlint("--diff", "HEAD", "--format", "concise")[1].startswith("a.cu:1:")


def test_related_places_count(repository, kernlint, monkeypatch):
    from kernlint.finding import Related
    from kernlint.run import engine
    from kernlint.source import Span

    (repository / "a.cu").write_text("__global__ void k() {\n  bad();\n}\n// end\n")
    commit()
    (repository / "a.cu").write_text("__global__ void k() {\n  bad();\n}\n// the end\n")
    assert kernlint("--diff", "HEAD")[0] == 0
    plain = engine.fingerprint.of

    def with_related(findings, text_of):
        for finding in findings:
            object.__setattr__(finding, "related", (Related(Span("a.cu", 34, 37), "here"),))
        return plain(findings, text_of)

    monkeypatch.setattr(engine.fingerprint, "of", with_related)
    assert kernlint("--diff", "HEAD", "--no-cache")[0] == 1


def test_deleted_lines_count_for_their_neighbours(repository):
    (repository / "a.cu").write_text("1\n2\n3\n4\n5\n")
    commit()
    (repository / "a.cu").write_text("1\n2\n4\n5\n")
    changes = git.changes("HEAD", str(repository))
    assert [changes.touch("a.cu", n, n) for n in (1, 2, 3, 4)] == [False, True, True, False]
    assert changes.touch("a.cu", 1, 4) and not changes.touch("b.cu", 1, 9)


@pytest.mark.parametrize("name", ["plain.cu", "a b.cu", 'quo"te.cu', "tab\t.cu", "grün.cu", "back\\slash.cu", "b/x.cu"])
def test_names_and_settings_do_not_matter(repository, name):
    command("config", "diff.noprefix", "true")
    command("config", "diff.mnemonicPrefix", "true")
    command("config", "color.ui", "always")
    command("config", "diff.external", "false")
    (repository / name).parent.mkdir(exist_ok=True)
    (repository / name).write_text("one\n")
    commit()
    (repository / name).write_text("one\n++ b/other.cu\n")
    changes = git.changes("HEAD", str(repository))
    assert list(changes.lines) == [os.path.realpath(name)]
    assert changes.touch(name, 2, 2) and not changes.touch(name, 1, 1)


def test_a_renamed_file_is_not_new(repository):
    (repository / "a.cu").write_text("".join(f"line {n}\n" for n in range(40)))
    commit()
    command("mv", "a.cu", "b.cu")
    assert git.changes("HEAD", ".").lines == {}


@pytest.mark.parametrize(
    ("revision", "message"),
    [
        ("nowhere", "git knows no revision 'nowhere'"),
        ("--help", "git knows no revision"),
        ("", "git knows no revision"),
    ],
)
def test_an_unknown_revision(kernlint, repository, revision, message):
    (repository / "a.cu").write_text(BAD)
    commit()
    code, out, err = kernlint(f"--diff={revision}")
    assert (code, out) == (2, "") and message in err and len(err.splitlines()) == 1


def test_no_commits_and_no_repository(kernlint, tmp_path):
    (tmp_path / "a.cu").write_text(BAD)
    code, out, err = kernlint("--diff", "HEAD")
    assert (code, out) == (2, "") and "is not a git repository" in err and len(err.splitlines()) == 1
    command("init", "-q", cwd=tmp_path)
    code, out, err = kernlint("--diff", "HEAD")
    assert (code, out) == (2, "") and "has no commits yet" in err and len(err.splitlines()) == 1


def test_a_diff_does_not_go_with_writing_a_baseline(kernlint, repository):
    assert "cannot go with it" in kernlint("--diff", "HEAD", "--write-baseline", "b.json")[2]


def test_git_is_asked_once_what_it_ignores(repository, kernlint, monkeypatch):
    asked = []
    started = gitignored._started_at_once

    def counted(folder, *arguments):
        asked.append(arguments[0])
        return started(folder, *arguments)

    monkeypatch.setattr(gitignored, "_started_at_once", counted)
    (repository / "plain.py").write_text("n = 1\n")
    (repository / "copy.cu").write_text(
        "__global__ void copy(int *a, const int *b) { a[threadIdx.x] = b[threadIdx.x]; }\n"
    )
    kernlint("check", ".")
    assert asked == ["ls-files"]


def test_git_is_asked_of_a_tree_without_kernels_where_there_are_many_files_that_it_does_not_know(
    repository, kernlint, monkeypatch
):
    asked = []
    monkeypatch.setattr(gitignored, "ignored", lambda folder: asked.append(folder) or frozenset())
    for name in ("one.py", "two.py"):
        (repository / name).write_text("n = 1\n")
    command("add", "-A", cwd=repository)
    assert "no kernel sources" in kernlint("check", ".")[1] and asked == []
    for number in range(40):
        (repository / f"made{number}.py").write_text("n = 1\n")
    assert "no kernel sources" in kernlint("check", ".")[1] and asked == [os.path.realpath(repository)]


def test_what_only_settings_of_git_ignore_is_left_out(repository, kernlint):
    (repository / "plain.py").write_text("n = 1\n")
    (repository / "made.py").write_text("from numba import cuda\n\n@cuda.jit\ndef fill(a):\n    a[cuda.grid(1)] = 1\n")
    command("add", "-A", cwd=repository)
    command("rm", "-q", "--cached", "made.py", cwd=repository)  # the index still knows the other one
    assert "in 1 file" in kernlint("check", ".")[1]
    (repository / ".git" / "info").mkdir(exist_ok=True)
    (repository / ".git" / "info" / "exclude").write_text("made.py\n")
    assert "no kernel sources" in kernlint("check", ".")[1]


def test_what_is_ignored_is_the_same_without_spawning(repository, monkeypatch):
    (repository / ".gitignore").write_text("made/\n*.tmp.cu\n")
    (repository / "made").mkdir()
    (repository / "made" / "one.cu").write_text("")
    (repository / "two.tmp.cu").write_text("")
    root = os.path.realpath(repository)
    found = gitignored.ignored(root)
    assert {os.path.relpath(path, root) for path in found} == {"made", "two.tmp.cu"}
    monkeypatch.delattr(os, "posix_spawnp", raising=False)
    assert gitignored.ignored(root) == found


def test_git_that_is_not_there_ignores_nothing(repository, monkeypatch):
    (repository / ".gitignore").write_text("*.cu\n")
    monkeypatch.setenv("PATH", str(repository / "nowhere"))
    assert gitignored.ignored(str(repository)) == frozenset()
