"""What the analysis of one file asks its project, noted with digests of the answers."""

from __future__ import annotations

import os
from collections.abc import Iterable

from kernlint.text.digest import hexdigest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kernlint.project.definitions import Definition
    from kernlint.project.headers import Filling
    from kernlint.project.model import Header, Project

Asked = dict[tuple[str, ...], str]
"""Digests of answers by the question: the name of a method of :class:`Project` and its arguments."""


class Questions:
    """The questions that the analysis of one file asks its project; ``asked`` notes them with digests of the answers,
    ``choices`` the headers that were found beside others of the same name, by the name."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self.asked: Asked = {}
        self.choices: dict[str, Header] = {}

    def header(self, name: str, includer: str) -> Header | None:
        """See :meth:`Project.header`."""
        includer = os.path.join(os.path.dirname(os.path.abspath(includer)), "_")  # the folder alone matters
        found = self.project.header(name, includer)
        self._note(("header", name, includer), found)
        if found is not None and found.others:
            self.choices[name] = found
        return found

    def definitions(self, path: str, language: str, names: Iterable[str]) -> tuple[Definition, ...]:
        """See :meth:`Project.definitions`."""
        question = (os.path.abspath(path), language, *sorted(names))
        answer = self.project.definitions(*question)
        self._note(("definitions", *question), answer)
        return answer

    def files_launching(self, kernel: str) -> tuple[str, ...]:
        """See :meth:`Project.files_launching`."""
        return self._list("files_launching", kernel)

    def files_defining(self, kernel: str) -> tuple[str, ...]:
        """See :meth:`Project.files_defining`."""
        return self._list("files_defining", kernel)

    def files_importing(self, path: str, name: str) -> tuple[str, ...]:
        """See :meth:`Project.files_importing`."""
        answer = self.project.files_importing(path, name)
        self._note(("files_importing", path, name), answer)
        return answer

    def files_loading(self, path: str) -> tuple[str, ...]:
        """See :meth:`Project.files_loading`."""
        return self._list("files_loading", os.path.abspath(path))

    def made_of(self, path: str) -> tuple[Filling, ...]:
        """See :meth:`Project.made_of`."""
        answer = self.project.made_of(os.path.abspath(path))
        self._note(("made_of", os.path.abspath(path)), answer)
        return answer

    def files_instantiating(self, template: str) -> tuple[str, ...]:
        """See :meth:`Project.files_instantiating`."""
        return self._list("files_instantiating", template)

    def files_naming(self, name: str) -> tuple[str, ...]:
        """See :meth:`Project.files_naming`."""
        return self._list("files_naming", name)

    def hosts_naming(self, name: str, path: str) -> tuple[str, ...]:
        """See :meth:`Project.hosts_naming`."""
        path = os.path.abspath(path)
        answer = self.project.hosts_naming(name, path)
        self._note(("hosts_naming", name, path), answer)
        return answer

    def files_including(self, header: str) -> tuple[str, ...]:
        """See :meth:`Project.files_including`."""
        return self._list("files_including", os.path.abspath(header))

    def analysed(self, path: str) -> bool:
        """See :meth:`Project.analysed`."""
        answer = self.project.analysed(path)
        self._note(("analysed", os.path.abspath(path)), answer)
        return answer

    def defines_for(self, path: str) -> tuple[str, ...]:
        """See :meth:`Project.defines_for`."""
        return self._list("defines_for", os.path.abspath(path))

    def choices_for(self, path: str) -> tuple[str, ...]:
        """See :meth:`Project.choices_for`."""
        return self._list("choices_for", os.path.abspath(path))

    def numbers_for(self, path: str) -> tuple[str, ...]:
        """See :meth:`Project.numbers_for`."""
        return self._list("numbers_for", os.path.abspath(path))

    def texts_for(self, path: str) -> tuple[str, ...]:
        """See :meth:`Project.texts_for`."""
        return self._list("texts_for", os.path.abspath(path))

    def dialect(self, path: str) -> str | None:
        """See :meth:`Project.dialect`."""
        answer = self.project.dialect(path)
        self._note(("dialect", os.path.abspath(path)), answer)
        return answer

    def defined_before(self, header: str, includer: str) -> tuple[str, ...]:
        """See :meth:`Project.defined_before`."""
        answer = self.project.defined_before(os.path.abspath(header), includer)
        self._note(("defined_before", os.path.abspath(header), includer), answer)
        return answer

    def included_before(self, header: str, includer: str) -> tuple[str, ...]:
        """See :meth:`Project.included_before`."""
        answer = self.project.included_before(os.path.abspath(header), includer)
        self._note(("included_before", os.path.abspath(header), includer), answer)
        return answer

    def preludes_for(self, path: str) -> tuple[str, ...]:
        """See :meth:`Project.preludes_for`."""
        return self._list("preludes_for", os.path.abspath(path))

    def folders_for(self, path: str) -> tuple[str, ...]:
        """See :meth:`Project.folders_for`."""
        return self._list("folders_for", os.path.abspath(path))

    def architectures(self) -> tuple[int, ...]:
        """See :meth:`Project.architectures`."""
        answer = self.project.architectures()
        self._note(("architectures",), answer)
        return answer

    def _list(self, method: str, argument: str) -> tuple[str, ...]:
        answer: tuple[str, ...] = getattr(self.project, method)(argument)
        self._note((method, argument), answer)
        return answer

    def _note(self, question: tuple[str, ...], answer: object) -> None:
        self.asked[question] = answer_digest(answer)


def answer_digest(answer: object) -> str:
    """A digest of an answer."""
    return hexdigest(repr(answer).encode("utf-8", "surrogateescape"), 16)
