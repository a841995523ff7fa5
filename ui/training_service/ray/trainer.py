"""What works on a node: the same worker as on the server's machine, for one run or task, as an actor of Ray's.

It imports PyTorch in its own time, so that it can say at once that it has begun.
"""

import platform
import queue
import threading
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

HEARTBEAT = 0.5  # seconds after which it says that there is nothing to say

Message = tuple[dict[str, Any], dict[str, np.ndarray]]


class Trainer:
    """`obey` and `work` are called at the same time, from two threads of Ray's; a third one trains."""

    def __init__(self, versions: Mapping[str, str]) -> None:
        """Those of the server that asks for it."""
        self._versions = versions
        self._commands: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
        self._messages: queue.SimpleQueue[Message | None] = queue.SimpleQueue()

    def obey(self, command: dict[str, Any]) -> None:
        """A command of the worker's, or to "hand_over" a paused run or to "take" it from another's hands."""
        self._commands.put(command)

    def place(self) -> str:
        """Its first word."""
        return platform.node()

    def work(self) -> Iterator[Message]:
        """The worker's messages as they come, and between them at times an empty one.

        A header has `differs` where this node would not train as the server does, and that is the last; or
        `handed_over`, whether it was. Ends where the worker broke, which its log has told.
        """
        threading.Thread(target=self._train, daemon=True).start()
        while True:
            try:
                message = self._messages.get(timeout=HEARTBEAT)
            except queue.Empty:
                message = {}, {}
            if message is None:
                return
            yield message

    def _train(self) -> None:
        try:
            import torch

            from ui.training_service.ray.same_app import difference
            from ui.training_service.worker import Scheduler, TrainingJob

            if differs := difference(self._versions):
                self._messages.put(({"differs": differs}, {}))
                return
            torch.set_num_threads(1)
            scheduler = Scheduler(lambda header, arrays: self._messages.put((header, arrays)))
            while True:
                while not scheduler.running or not self._commands.empty():
                    command = self._commands.get()
                    job = scheduler.jobs.get(command["run"])
                    if command["do"] == "take":
                        scheduler.jobs[command["run"]] = TrainingJob.unpacked(command["job"])
                    elif command["do"] != "hand_over":
                        scheduler.obey(command)
                    elif isinstance(job, TrainingJob) and job.state == "paused" and job.step < job.config.steps:
                        self._messages.put(({"handed_over": True}, {"job": job.packed()}))
                    else:  # what its last step is followed by cannot be cut
                        self._messages.put(({"handed_over": False}, {}))
                scheduler.turn()
        finally:
            self._messages.put(None)
