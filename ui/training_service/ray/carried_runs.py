"""A run, or task, of a server's on its way through a cluster: in line for an actor, at work, or at rest without one.

A paused run soon gives its processor back, for others wait for it: its actor hands it over, and when it is taken on
another actor begins where it was, with the same numbers. And an actor that ends before its first word was sent to a
node that had just died, before the cluster knew; another one is begun.
"""

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from typing import Any

import numpy as np
import ray
from ray.exceptions import RayActorError, RayError

from ui.training_service.ray.trainer import Message

SILENCE = 3.0  # seconds without a word after which it is asked whether the node is there at all
ANSWER = 0.7  # seconds in which its machine answers, however busy
STUCK = 60.0  # seconds without a word after which a run is given up on a machine that answers
QUEUED = 2.0  # seconds after which an actor that has not begun is said to wait for a processor
AT_REST = 10.0  # seconds for which a paused run keeps its processor
BEGUN_AGAIN = 30  # times at most, for actors that ended before their first word
BETWEEN = 1.0  # seconds; in some of them a cluster learns of a node that died

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
        again = 0
        try:
            while not self._ended:
                self._actor = self._begin()
                try:
                    if not await self._hear(self._actor):
                        return
                except RayActorError:
                    if self._begun or self._ended or again == BEGUN_AGAIN:
                        raise
                    again += 1
                    ray.kill(self._actor)
                    await asyncio.sleep(BETWEEN)
                    continue
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
        heard = actor.work.options(num_returns="streaming").remote()
        first = asyncio.ensure_future(_next(heard))
        if self._order.get("want") == "reports" and not (await asyncio.wait({first}, timeout=QUEUED))[0]:
            self._send(told | {"state": "queued"}, {})
        header, _ = await first
        self._begun = True
        self._tell_waiting()
        self._send(told | {"state": "running", "place": header["place"]}, {})
        address = await _address(header["node"])
        rest: asyncio.TimerHandle | None = None
        while True:
            header, arrays = await _soon(_next(heard), address)
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
    return await (await anext(heard))


async def _soon(coming: Coroutine[Any, Any, Message], address: tuple[str, int]) -> Message:
    """TimeoutError when nothing comes any more, not counting what this process itself has slept."""
    task = asyncio.ensure_future(coming)
    silent = 0.0
    while silent < STUCK:
        for _ in range(2):  # after a long sleep the first wait is over before what has come is looked at
            done, _ = await asyncio.wait({task}, timeout=SILENCE / 2)
            if done:
                return task.result()
        silent += SILENCE
        if not await answers(address):
            break
    task.cancel()
    raise TimeoutError("the node does not answer" if silent < STUCK else "it has not said a word for too long")


async def answers(address: tuple[str, int]) -> bool:
    """Whether there is a machine with Ray. Asked twice, for the first may come late to a process that has slept."""
    for _ in range(2):
        try:
            _, writer = await asyncio.wait_for(asyncio.open_connection(*address), ANSWER)
        except TimeoutError:
            continue
        except OSError:
            return False
        writer.close()
        return True
    return False


async def _address(node: str) -> tuple[str, int]:
    nodes = await asyncio.get_running_loop().run_in_executor(None, ray.nodes)
    (found,) = (each for each in nodes if each["NodeID"] == node)
    return found["NodeManagerAddress"], found["NodeManagerPort"]
