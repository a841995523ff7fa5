"""Files that browsers have sent and no page has read yet: what one reader's may hold, and all readers' together.

Streamlit holds whatever is sent to a session, any number of files by any visitor, for as long as the session. A page of
ours reads a file at once and lets go of it (`ui.session.drop_file`): little waits here, unless somebody means ill.
"""

from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.uploaded_file_manager import UploadedFileManager, UploadedFileRec

from transformer_core.training.not_a_model import NotAModel
from ui.training_service.memory_budget import MB, SENT
from ui.uploads import MOST

OWN = 2 * MOST  # bytes of one session: a file that is being read, and the next one
FILES = 16  # of one session
REFUSED = "application/x-refused-"  # the kind of a file that was not kept, and which limit it was that it broke


def bound(manager: UploadedFileManager, own: int = OWN, together: int = SENT) -> None:
    """Let this manager hold no more than so many bytes; of a file beyond that the name alone, and its page says why.

    With a refusal by its status the page would say something in English, or nothing.
    """
    if not isinstance(manager, MemoryUploadedFileManager) or "add_file" in vars(manager):
        return
    add = manager.add_file

    def add_within(session_id: str, file: UploadedFileRec) -> None:
        held = [
            (session, other) for session, files in list(manager.file_storage.items()) for other in list(files.values())
        ]
        beside = [(session, other) for session, other in held if (session, other.file_id) != (session_id, file.file_id)]
        mine = [len(other.data) for session, other in beside if session == session_id]
        if len(mine) >= FILES:
            return
        if sum(mine) + len(file.data) > own:
            file = file._replace(type=f"{REFUSED}own", data=b"")
        elif sum(len(other.data) for _, other in beside) + len(file.data) > together:
            file = file._replace(type=f"{REFUSED}all", data=b"")
        add(session_id, file)

    manager.add_file = add_within  # type: ignore[method-assign]  # the routes of the server hold this very manager


def check(kind: str) -> None:
    """NotAModel if a file of this kind was not kept."""
    if kind == f"{REFUSED}own":
        raise NotAModel("waiting_own", "this reader's files that wait take all the room there is", limit=OWN // MB)
    if kind == f"{REFUSED}all":
        raise NotAModel("waiting_all", "the files that wait take all the room there is", limit=SENT // MB)
