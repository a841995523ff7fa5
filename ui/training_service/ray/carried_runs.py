"""A run, or task, of a server's on its way through a cluster: in line for an actor, at work, or at rest without one.

A paused run soon gives its processor back, for others wait for it: its actor hands it over, and when it is taken on
another actor begins where it was, with the same numbers. An actor that ends before its first word was sent to a node
that had just died, before the cluster knew: Ray itself begins it again.
"""

import asyncio
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import ray
from ray.exceptions import RayError

from ui.training_service.ray.trainer import Message

SILENCE = 20.0  # seconds without a word after which a run is given up, whatever has become of its node
QUEUED = 2.0  # seconds after which an actor that has not begun is said to wait for a processor
AT_REST = 10.0  # seconds for which a paused run keeps its processor

Send = Callable[[Mapping[str, Any], Mapping[str, np.ndarray]], None]


class CarriedRun:
    """All in the loop's thread. `begin` makes an actor, a `Trainer`."""

    def __init__(self, name: str, order: dict[str, Any], begin: Callable[[], Any], send: Send) -> None:
        self._name, self._order = name, order
        self._begin, self._send = begin, send
        self._actor: Any = None
        self._begun = self._handing_over = self._ended = False
        self._waiting = [order]  # commands for an actor that has not begun
        self._woken = asyncio.Event()

    def obey(self, command: dict[str, Any]) -> None:
        if self._begun and not self._handing_over:
            self._tell(command)
        elif self._actor is not None and not self._begun:
            self._waiting.append(command)
        elif command["do"] in ("resume", "step"):  # the others mean nothing to what is paused, and was told so
            self._waiting.append(command)
            self._woken.set()

    def end(self) -> None:
        self._ended = True
        self._woken.set()
        self._dismiss()

    async def go(self) -> None:
        """Until it is through or ended, or lost, which is told."""
        try:
            while not self._ended:
                self._actor = self._begin()
                if not await self._hear(self._actor):
                    return
                self._dismiss()
                await self._woken.wait()
                self._woken.clear()
        except (RayError, StopAsyncIteration, TimeoutError) as problem:
            if not self._ended:
                self._lose(f"{type(problem).__name__}: {problem}".partition("\n")[0])
        finally:
            self._dismiss()

    async def _hear(self, actor: Any) -> bool:
        """Pass on what the actor says; whether it has handed over what was paused."""
        told = {"worker": self._name, "run": self._order["run"], "step": 0, "reason": ""}
        place = asyncio.wrap_future(actor.place.options(max_task_retries=-1).remote().future())
        if self._order.get("want") == "reports" and not (await asyncio.wait({place}, timeout=QUEUED))[0]:
            self._send(told | {"state": "queued"}, {})
        self._send(told | {"state": "running", "place": await place}, {})
        heard = actor.work.options(num_returns="streaming").remote()
        self._begun = True
        self._tell_waiting()
        rest: asyncio.TimerHandle | None = None
        while True:
            header, arrays = await _next(heard)
            if "differs" in header:
                self._lose(header["differs"], differs=True)
                return False
            if "handed_over" in header:
                self._handing_over = False
                if header["handed_over"]:
                    take = {"do": "take", "run": self._order["run"], "job": arrays["job"].tobytes()}
                    self._waiting.insert(0, take)
                    return True
                self._tell_waiting()
            elif header:
                self._send(header | {"worker": self._name}, arrays)
                if header["state"] in ("done", "failed"):
                    return False
                if rest is not None:
                    rest.cancel()
                if header["state"] == "paused":
                    rest = asyncio.get_running_loop().call_later(AT_REST, self._ask_for_it, actor)

    def _ask_for_it(self, actor: Any) -> None:
        if actor is self._actor:
            self._tell({"do": "hand_over", "run": self._order["run"]})
            self._handing_over = True

    def _tell(self, command: dict[str, Any]) -> None:
        self._actor.obey.options(concurrency_group="commands").remote(command)

    def _tell_waiting(self) -> None:
        waiting, self._waiting = self._waiting, []
        for command in waiting:
            self._tell(command)

    def _lose(self, why: str, *, differs: bool = False) -> None:
        self._send({"worker": self._name, "state": "lost", "reason": why, "differs": differs}, {})

    def _dismiss(self) -> None:
        actor, self._actor = self._actor, None
        self._begun = False
        if actor is not None:
            ray.kill(actor)


async def _next(heard: Any) -> Message:
    """TimeoutError when nothing comes any more, not counting what this process itself has slept."""

    async def coming() -> Message:
        return await (await anext(heard))

    task = asyncio.ensure_future(coming())
    for _ in range(2):  # after a long sleep the first wait is over before what has come is looked at
        if (await asyncio.wait({task}, timeout=SILENCE / 2))[0]:
            return task.result()
    task.cancel()
    raise TimeoutError("it has not said a word for too long")
