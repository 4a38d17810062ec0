"""The server's end of the line to the process that analyses."""

from __future__ import annotations

import asyncio
import contextlib
import json
import pickle
import sys
from collections.abc import Sequence

from kernlint.lsp.messages import HEAD, Answer, Failed, Pages, Request, Start, pack

PATIENCE = 120.0
"""Seconds after which an analysis is given up."""

_CODE = (
    "import sys; sys.path[:] = filter(None, sys.path); import json; sys.path[:] = json.loads(sys.argv[1]); "
    "from kernlint.lsp.analyst import main; main()"
)
"""The process gets the paths of this one: else it would find modules in the folder that the editor works in."""


class Worker:
    """One process, started with the first request and again after it died or took too long."""

    def __init__(self, arguments: Sequence[str], patience: float = PATIENCE) -> None:
        self._arguments = tuple(arguments)
        self._patience = patience
        self._process: asyncio.subprocess.Process | None = None
        self._line = asyncio.Lock()
        self.pages = Pages()

    async def ask(self, request: Request) -> Answer:
        """The answer to ``request``; :class:`Failed` when there is none."""
        async with self._line:
            try:
                process = await self._started()
                return await asyncio.wait_for(self._exchange(process, request), self._patience)
            except (OSError, EOFError, asyncio.TimeoutError) as error:
                await self._stop()
                late = isinstance(error, asyncio.TimeoutError)
                why = f"it took more than {self._patience:.0f} s" if late else "the process that analyses died of it"
                return Failed(why)
            except BaseException:
                await self._stop()  # nobody knows what is still in the pipe
                raise

    async def close(self) -> None:
        """End the process."""
        async with self._line:
            await self._stop()

    async def _started(self) -> asyncio.subprocess.Process:
        if self._process is None:
            pipe = asyncio.subprocess.PIPE
            self._process = await asyncio.create_subprocess_exec(
                sys.executable, "-c", _CODE, json.dumps(sys.path), stdin=pipe, stdout=pipe
            )
            pages = await asyncio.wait_for(
                self._exchange(self._process, Start(self._arguments)), max(self._patience, PATIENCE)
            )
            if isinstance(pages, Pages):
                self.pages = pages
        return self._process

    async def _exchange(self, process: asyncio.subprocess.Process, request: Request) -> Answer:
        assert process.stdin is not None and process.stdout is not None
        process.stdin.write(pack(request))
        await process.stdin.drain()
        (length,) = HEAD.unpack(await process.stdout.readexactly(HEAD.size))
        answer: Answer = pickle.loads(await process.stdout.readexactly(length))
        return answer

    async def _stop(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            await process.wait()
