"""Almost every token right with the answer given (teacher forcing), and nonsense without it: training was no task."""

from torch import Tensor, nn

from transformer_core import EncoderDecoder, target_mask
from transformer_core.exercises.symptoms.filled import FULL, filled, filled_run
from transformer_core.exercises.symptoms.small_run import SmallRun
from transformer_core.exercises.symptoms.symptom import CheckedCause, ShippedModels, State, Symptom
from transformer_core.exercises.symptoms.translated import small_config, translation_task, unseen_pairs
from transformer_core.exercises.symptoms.written import ModelInUse, accuracy, compared, probabilities, right_alone
from transformer_core.tasks.batch import Batch
from transformer_core.tasks.vocabulary import PAD

STEPS = 80
NOTHING = -1  # the padding of a model that takes none for it


def healthy(seed: int, models: ShippedModels) -> State:
    return _state(ModelInUse(models.translate), seed)


def no_mask(seed: int, models: ShippedModels) -> State:
    """Trained without the look-ahead mask: each position reads its own answer, one place further on."""
    return _state(ModelInUse(models.peeking, look_ahead=False), seed)


def unshifted(seed: int, models: ShippedModels) -> State:
    """Trained on targets that were not shifted: each position reads its own answer."""
    return _state(ModelInUse(_trained_unshifted(seed), before=_answers), seed)


def padding_counted(seed: int, models: ShippedModels) -> State:
    """Targets are filled up to a fixed length, and the padding counts, in the loss and among what is right."""
    return _state(ModelInUse(filled_run(seed, PAD), pad=NOTHING), seed)


def _answers(tgt: Tensor) -> Tensor:
    return tgt[:, 1:]


def _trained_unshifted(seed: int) -> EncoderDecoder:
    config = small_config(seed, batch=32, rate=8e-3, warmup=10, steps=120)
    run = SmallRun(config)
    assert config.words is not None
    for _ in range(STEPS):
        batch = Batch(*config.words.pairs(config.batch, run.batches))
        batch.tgt = batch.tgt_y
        batch.tgt_mask = target_mask(batch.tgt)
        run.update(batch)
    return run.model.eval()


def _state(used: ModelInUse, seed: int) -> State:
    pairs, length = unseen_pairs(seed)
    counts = used.pad == NOTHING
    criterion = nn.CrossEntropyLoss() if counts else nn.CrossEntropyLoss(ignore_index=PAD)
    if counts:
        pairs = pairs._replace(tgt=filled(pairs.tgt, PAD, FULL))
    read, answers = used.before(pairs.tgt)[:1, :length], pairs.tgt[:1, 1 : length + 1]
    found = compared(used, pairs, length)
    labels = translation_task().target.labels(answers[0].tolist())
    in_check = {"tgt": read, "tgt_y": answers, "tgt_mask": used.mask(read), "criterion": criterion, "PAD": PAD}
    return {**found, **in_check, "labels": labels}


FORCED = Symptom(
    "forced",
    healthy,
    (
        CheckedCause("no_mask", no_mask, "tgt_mask[0].triu(1).any()"),
        CheckedCause("unshifted", unshifted, "torch.equal(tgt, tgt_y)"),
        CheckedCause("padding_counted", padding_counted, "criterion.ignore_index != PAD"),
    ),
    probabilities,
    {"share_given": accuracy, "share_alone": right_alone},
)
