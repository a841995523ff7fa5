"""Runs on the nodes of a Ray cluster; while it cannot be had, the workers of this machine serve."""

import base64
import importlib.util
import logging
import os
import pickle
import sys
import threading
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from functools import partial
from typing import Any

import numpy as np

from ui.training_service.engine import Engine, Hear, Load, Lose, Open, Worker
from ui.training_service.local_engine import LocalEngine, WorkerProcess

COMMAND = (sys.executable, "-m", "ui.training_service.ray.bridge")
RETRY = 15.0  # seconds until a cluster that was not there is looked for again
SETTLED = 20.0  # seconds that rooms wait at the start for the cluster that may have them
ANSWERED = 3.0  # seconds
AVOIDED = 60.0  # seconds for which nothing is sent to a cluster that has a node of another version
ENDED = ("done", "failed", "lost")

_log = logging.getLogger(__name__)


class RayWorker:
    """A worker on some node, for one run or background task."""

    def __init__(self, name: str, send: Callable[[Mapping[str, Any]], None]) -> None:
        self.name = name
        self.place = ""
        self.alive = True
        self._send = send

    def send(self, command: Mapping[str, Any]) -> None:
        self._send({**command, "worker": self.name})

    def close(self) -> None:
        self.send({"do": "stop"})


class RayEngine:
    """An engine in front of two: actors where the cluster at `address` can be had, else what `local` opens."""

    def __init__(
        self,
        hear: Hear,
        lose: Lose,
        *,
        address: str,
        local: Open = LocalEngine,
        command: Sequence[str] = COMMAND,
        retry: float = RETRY,
    ) -> None:
        self._hear, self._lose = hear, lose
        self._local = local(hear, lose)
        self._command, self._retry = [*command, address], retry
        self._lock = threading.Lock()  # never held while somebody is called
        self._bridge: WorkerProcess | None = None
        self._remotes: dict[str, RayWorker] = {}
        self._cpus = 0
        self._away = self._begun = self._joined = self._was_joined = self._closed = False
        self._settled = threading.Event()  # whether there is a cluster has been found out
        self._answers: dict[str, Future[Any]] = {}
        self._avoided = 0.0  # until when, by time.monotonic

    @property
    def trouble(self) -> str:
        if time.monotonic() < self._avoided:
            return "versions"
        return "away" if self._away else ""

    @property
    def count(self) -> int:
        return self._cpus if self._usable else self._local.count

    def worker(self, load: Load) -> Worker:
        self.warm()
        with self._lock:
            if self._bridge is not None and self._usable:
                remote = RayWorker(uuid.uuid4().hex[:12], partial(self._send, self._bridge))
                self._remotes[remote.name] = remote
                return remote
        return self._local.worker({worker: what for worker, what in load.items() if not isinstance(worker, RayWorker)})

    def warm(self) -> None:
        """Look for the cluster: it takes some seconds, in which this machine serves."""
        if not self._begun:
            self._begun = True
            self._connect()

    def was_joined(self) -> bool:
        """Whether this server has ever had the cluster; waits until that has been found out."""
        self.warm()
        self._settled.wait(SETTLED)
        return self._was_joined

    def ask_rooms(self, method: str, *given: Any) -> Any:
        """What the rooms of all servers answer. ConnectionError if they do not."""
        self.warm()
        self._settled.wait(SETTLED)
        name, answer = uuid.uuid4().hex[:12], Future[Any]()
        with self._lock:
            bridge = self._bridge
            if bridge is None or not self._joined:
                raise ConnectionError
            self._answers[name] = answer
        call = base64.b64encode(pickle.dumps((method, given))).decode()
        bridge.send({"do": "ask", "worker": name, "call": call})
        try:
            return answer.result(ANSWERED)
        except TimeoutError:
            raise ConnectionError("the rooms of the cluster do not answer") from None
        finally:
            with self._lock:
                self._answers.pop(name, None)

    def close(self) -> None:
        with self._lock:
            self._closed = True
            bridge, self._bridge = self._bridge, None
        if bridge is not None:
            bridge.close()
        self._local.close()

    @property
    def _usable(self) -> bool:
        return self._cpus > 0 and not self.trouble

    def _connect(self) -> None:
        if importlib.util.find_spec("ray") is None:
            self._leave("the package ray is not installed; requirements-cluster.txt names it")
            return
        with self._lock:
            if not self._closed:
                self._bridge = WorkerProcess(self._command, self._listen, self._gone)

    def _send(self, bridge: WorkerProcess, command: Mapping[str, Any]) -> None:
        if command["do"] == "stop":
            with self._lock:
                self._remotes.pop(command["worker"], None)
        bridge.send(command)

    def _listen(self, _: Worker, header: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
        if "worker" not in header:
            self._joined = "why" not in header
            self._was_joined |= self._joined
            self._count(header["cpus"], header.get("why", ""))
            return
        if header["state"] == "answered":
            with self._lock:
                answer = self._answers.pop(header["worker"], None)
            if answer is not None:
                answer.set_result(pickle.loads(arrays["answer"].tobytes()))
            return
        with self._lock:
            name, ended = header.pop("worker"), header["state"] in ENDED
            remote = self._remotes.pop(name, None) if ended else self._remotes.get(name)
        if remote is None:
            return
        remote.place = header.pop("place", remote.place)
        if header["state"] != "lost":
            self._hear(remote, header, arrays)
            return
        if header["differs"]:
            self._avoided = time.monotonic() + AVOIDED
        _log.warning("A run at %s was lost: %s", remote.place or "the cluster", header["reason"])
        remote.alive = False
        self._lose(remote)

    def _count(self, cpus: int, why: str) -> None:
        self._cpus = cpus
        if not cpus:
            self._leave(why or "it has no processors")
        elif self._away:
            self._away = False
            _log.warning("The Ray cluster is there again: runs are trained on its nodes")
        self._settled.set()

    def _leave(self, why: str) -> None:
        """Said once, until it is there again."""
        if not self._away:
            self._away = True
            _log.warning("The Ray cluster cannot be used, and this machine trains by itself: %s", why)
        self._settled.set()

    def _gone(self, bridge: Worker) -> None:
        with self._lock:
            if bridge is not self._bridge:
                return
            self._bridge, self._cpus, self._joined = None, 0, False
            lost, self._remotes = list(self._remotes.values()), {}
            unanswered, self._answers = list(self._answers.values()), {}
        self._leave("the process that speaks with it has ended")
        for answer in unanswered:
            answer.set_exception(ConnectionError())
        for remote in lost:
            remote.alive = False
            self._lose(remote)
        again = threading.Timer(self._retry, self._connect)
        again.daemon = True
        again.start()


def engine_in_use(hear: Hear, lose: Lose) -> Engine:
    """That of this server: GLASSFORMER_RAY is the address of a Ray cluster, HOST:PORT; without, its own machine."""
    address = os.environ.get("GLASSFORMER_RAY", "").strip()
    return RayEngine(hear, lose, address=address) if address else LocalEngine(hear, lose)
