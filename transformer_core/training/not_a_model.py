"""Why there is no model in what was handed over."""


class NotAModel(ValueError):
    """A file that is no model. `reason` and `values` let the app say the same in another language."""

    def __init__(self, reason: str, message: str, **values: object) -> None:
        super().__init__(message)
        self.reason = reason
        self.values = values


def damaged() -> NotAModel:
    return NotAModel("damaged", "the file is damaged, or it is not a saved model")


def is_code(name: str) -> NotAModel:
    """Where an object of somebody's class stands, of which the file has no parameters."""
    message = (
        f"the file holds more than numbers and words: a whole {name:.60}, which is not made here; save its "
        "parameters alone, torch.save(model.state_dict(), file)"
    )
    return NotAModel("code", message, name=name[:60])
