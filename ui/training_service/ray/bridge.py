"""The process between a server and a Ray cluster: an actor for each run, commands to it, its messages back.

    python -m ui.training_service.ray.bridge ADDRESS

It speaks as `ui.training_service.worker` does, with the worker's name in every command and message. What concerns the
cluster itself comes without a name: {"cpus": 8}, or {"cpus": 0, "why": …} and the end. Ray ends a process whose cluster
has gone, and the server must not be ended.
"""

import asyncio
import base64
import json
import logging
import os
import pickle
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Coroutine
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import ray
from ray._private.services import find_node_ids
from ray.exceptions import RayError

from ui.classroom.rooms import Rooms
from ui.training_service import protocol
from ui.training_service.memory_budget import MB
from ui.training_service.ray.carried_runs import CarriedRun
from ui.training_service.ray.same_app import versions
from ui.training_service.ray.trainer import Trainer

REACHED_IN = 3.0  # seconds for the cluster's address to answer at all
WATCH = 2.0  # seconds between two looks at the cluster
STORE = 80 * MB  # of objects, where this machine has to become a node
OPTIONS = {
    "num_cpus": 1,
    "concurrency_groups": {"commands": 1},
    "scheduling_strategy": "SPREAD",
    "max_restarts": -1,  # until its first word; after that a run that is lost is dismissed
}
# One for all servers, where it lives longest; what it knows is gone with that machine, but not those who ask.
ROOMS = {
    "name": "rooms",
    "get_if_exists": True,
    "lifetime": "detached",
    "max_restarts": -1,
    "num_cpus": 0,
    "resources": {"node:__internal_head__": 0.001},
}


class Bridge:
    """All in the loop's thread. `out` is where messages go."""

    def __init__(self, out: Any) -> None:
        self._out = out
        self._carried: dict[str, CarriedRun] = {}
        self._at_work = set[asyncio.Task[None]]()
        self._trainer = ray.remote(**OPTIONS)(Trainer)
        self._rooms: Any = None

    def obey(self, command: dict[str, Any]) -> None:
        name, do = command.pop("worker"), command["do"]
        if do in ("start", "measure"):
            carried = self._carried[name] = CarriedRun(name, command, self._begin, partial(protocol.write, self._out))
            self._start(self._carry(name, carried))
        elif do == "ask":
            self._start(self._ask(name, *pickle.loads(base64.b64decode(command["call"]))))
        elif name in self._carried:  # else it is lost, or done, and the command comes too late
            if do == "stop":
                self._carried[name].end()
            else:
                self._carried[name].obey(command)

    async def watch(self) -> None:
        """Say how many processors there are; ends when the cluster does not answer."""
        known, loop = -1, asyncio.get_running_loop()
        while True:
            resources = await asyncio.wait_for(loop.run_in_executor(None, ray.cluster_resources), REACHED_IN)
            if (cpus := int(resources.get("CPU", 0))) != known:
                known = cpus
                self._send({"cpus": cpus})
            await asyncio.sleep(WATCH)

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._at_work.add(task)
        task.add_done_callback(self._at_work.discard)

    async def _ask(self, name: str, method: str, given: tuple[Any, ...]) -> None:
        """Of the rooms, which the first who asks makes; without them there is no answer."""
        with suppress(RayError):
            self._rooms = self._rooms or ray.remote(**ROOMS)(Rooms).remote()
            answer = await getattr(self._rooms, method).remote(*given)
            self._send({"worker": name, "state": "answered"}, {"answer": np.frombuffer(pickle.dumps(answer), np.uint8)})

    async def _carry(self, name: str, carried: CarriedRun) -> None:
        await carried.go()
        del self._carried[name]

    def _begin(self) -> Any:
        return self._trainer.remote(dict(versions()))

    def _send(self, header: dict[str, Any], arrays: dict[str, np.ndarray] | None = None) -> None:
        protocol.write(self._out, header, arrays or {})


def join(address: str) -> None:
    """Connect with a cluster. OSError if there is none, RuntimeError if it is of another version of Ray or Python."""
    host, _, port = address.rpartition(":")
    if not port.isdecimal():
        raise OSError(f"not an address, HOST:PORT: {address}")
    socket.create_connection((host, int(port)), REACHED_IN).close()
    if not find_node_ids():  # of any cluster on this machine: Ray talks through one of its own nodes
        node = ["start", f"--address={address}", "--num-cpus=0", f"--object-store-memory={STORE}"]
        subprocess.run([sys.executable, "-m", "ray.scripts.scripts", *node], stdout=subprocess.DEVNULL, check=True)
    ray.init(address, namespace="glassformer", log_to_driver=False, logging_level=logging.ERROR)


async def serve(out: Any) -> None:
    bridge, loop = Bridge(out), asyncio.get_running_loop()

    def listen() -> None:
        for line in sys.stdin:
            loop.call_soon_threadsafe(bridge.obey, json.loads(line))
        os._exit(0)  # the server has ended; Ray ends what this process has begun

    threading.Thread(target=listen, daemon=True).start()
    try:
        await bridge.watch()
    except TimeoutError as problem:  # the loop would wait for the answer that does not come, before it ends
        leave(out, problem)


def leave(out: Any, problem: Exception) -> NoReturn:
    """Tell the server why there is no cluster, and end."""
    protocol.write(out, {"cpus": 0, "why": f"{problem!r}"}, {})
    os._exit(1)


def main() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is meant for the app, which then closes stdin
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what Ray may print is no message
    logging.basicConfig(level=logging.WARNING)
    with Path(os.devnull).open("w") as sys.stderr:  # where Ray prints what nodes that die have logged, or here:
        sys.stdout = sys.stderr
        try:
            join(sys.argv[1])
            asyncio.run(serve(out))
        except BrokenPipeError:  # the server was killed
            os._exit(0)
        except Exception as problem:  # none of them may leave the server without a word
            leave(out, problem)
        finally:
            os._exit(1)


if __name__ == "__main__":
    main()
