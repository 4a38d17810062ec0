"""The project around the files of a run: what stands in its tree, who includes, defines and launches what.

A *project* is a folder (:mod:`kernlint.project.root`): that of the configuration file, else the work tree of version
control, else the folder of the build files, else the common folder of what was named.  Its tree is walked once a run
(:mod:`kernlint.project.tree`), and each source is read once for a handful of facts
(:mod:`kernlint.project.facts`), which are kept between runs (:mod:`kernlint.project.store`).  Nothing is looked at
before somebody asks: a file whose headers are beside it and that nobody asks about costs nothing.

:class:`~kernlint.project.model.Project` answers questions; the analysis of a file asks through
:class:`~kernlint.project.questions.Questions`, which notes what was asked and answered, so that results kept from an
earlier run count only while the answers stay the same.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kernlint.project.model import Project
    from kernlint.project.questions import Questions
    from kernlint.project.run import Projects

__all__ = ["Project", "Projects", "Questions"]

_MODULES = {"Project": "model", "Projects": "run", "Questions": "questions"}


def __getattr__(name: str) -> object:
    """The classes, loaded when somebody first asks for one: a run over a tree without kernels does not."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"kernlint.project.{_MODULES[name]}"), name)
