"""A run on its way from one actor to the next: all that its next numbers depend on."""

import pickle
import time

import numpy as np

from ui.training_service.worker import TrainingJob


def pack(job: TrainingJob) -> np.ndarray:
    """Its bytes, uint8."""
    state = {name: value for name, value in vars(job).items() if name != "_work"}
    return np.frombuffer(pickle.dumps(state), np.uint8)


def unpack(packed: bytes) -> TrainingJob:
    job = object.__new__(TrainingJob)
    vars(job).update(pickle.loads(packed))
    job.weights_sent = time.perf_counter()  # by this machine's clock
    return job
