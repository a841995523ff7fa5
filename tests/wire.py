"""A reader without a browser: Streamlit's protocol over a websocket, for what only a real server can tell.

    with serving("app.py") as server, Reader(server.url, "masks", {"size": "7"}) as reader:
        answer = reader.change({"masks:size": 8})

Widgets go by the keys that the app gives them, those without one by their labels. As a browser does, a reader sends
the states of all widgets with each change, keeps large messages and says so, and its address bar is the `query` that
the server has written.
"""

import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Self
from urllib.parse import urlencode

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.proto.Delta_pb2 import Delta
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.Slider_pb2 import Slider
from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets import Subprotocol
from websockets.sync.client import connect

LARGEST = 64 * 2**20  # bytes of one message
MOST_RUNS = 200  # after which a page will not come to say what it has not said
ENDS = (  # of a run that no other one follows
    ForwardMsg.FINISHED_SUCCESSFULLY,
    ForwardMsg.FINISHED_FRAGMENT_RUN_SUCCESSFULLY,
    ForwardMsg.FINISHED_WITH_COMPILE_ERROR,
)


class Widget(NamedTuple):
    id: str
    fragment: str  # the fragment it stands in; "" for the page itself
    kind: str  # "slider", "bidi_component", …: its field in Streamlit's Element
    proto: Any

    @property
    def key(self) -> str:
        """The key that the app gave it, or its label."""
        key = self.id.split("-", 2)[2]
        return self.proto.label if key == "None" else key


@dataclass
class Answer:
    """What came back for one change, up to the end of the script's run."""

    seconds: float = 0.0  # from sending the change to the end of the run
    size: int = 0  # bytes
    messages: list[ForwardMsg] = field(default_factory=list)

    @property
    def deltas(self) -> list[Delta]:
        return [message.delta for message in self.messages if message.HasField("delta")]

    def shown(self, kind: str) -> list[Any]:
        """The elements of a kind, `shown("markdown")`, in the order they came; blocks are no elements."""
        elements = [delta.new_element for delta in self.deltas if delta.HasField("new_element")]
        return [getattr(element, kind) for element in elements if element.HasField(kind)]  # type: ignore[arg-type]

    @property
    def exceptions(self) -> list[str]:
        return [f"{shown.type}: {shown.message}" for shown in self.shown("exception")]


class Reader:
    """One tab, open on a page ("" is the map) from the start. Not to be shared by threads.

    `opened` is the first answer. Whatever takes longer than `patience` seconds raises TimeoutError; a connection
    that the server closes raises websockets.ConnectionClosed.
    """

    def __init__(
        self, url: str, page: str = "", query: Mapping[str, str] | None = None, *, locale: str = "en-US",
        patience: float = 300.0, cookie: str = "",
    ) -> None:  # fmt: skip
        self.url, self.page, self.query = url, page, urlencode(query or {})
        self.locale, self.patience = locale, patience
        self.widgets: dict[str, Widget] = {}
        self.fragments: set[str] = set()
        self._states: dict[str, WidgetState] = {}
        self._kept: dict[str, ForwardMsg] = {}
        self._script = ""
        with ExitStack() as stack:  # a socket is closed also if the first run fails
            self._socket = stack.enter_context(
                connect(
                    f"{url.replace('http', 'ws', 1)}/_stcore/stream",
                    subprotocols=[Subprotocol("streamlit")],
                    additional_headers={"Cookie": cookie} if cookie else {},
                    compression=None,
                    proxy=None,
                    max_size=LARGEST,
                    open_timeout=patience,
                )
            )
            self.opened = self.rerun()
            self.close = stack.pop_all().close

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def change(self, values: Mapping[str, object]) -> Answer:
        """Move widgets, named by key, and wait for the run: the fragment's in which they stand, or the whole page's."""
        for key, value in values.items():
            widget = self.widgets[key]
            state = state_of(widget, value)
            if state is None:
                raise ValueError(f"{key}: a {widget.kind} has no value to change")
            self._states[widget.id] = state
        fragments = {self.widgets[key].fragment for key in values}
        return self.rerun(fragments.pop() if len(fragments) == 1 else "")

    def press(self, key: str) -> Answer:
        """A button counts as pressed in one message only."""
        widget = self.widgets[key]
        self._states[widget.id] = WidgetState(id=widget.id, trigger_value=True)
        self.send(self.client_state(widget.fragment))
        del self._states[widget.id]
        return self.wait()

    def unfold(self, title: Delta) -> Answer:
        """Open a section by its title, a block."""
        id = title.add_block.id
        self._states[id] = WidgetState(id=id, bool_value=True)
        return self.rerun(title.fragment_id)

    def visit(self, page: str, query: Mapping[str, str] | None = None) -> Answer:
        """Go to another page of the app, as by a link of its menu."""
        self.page, self.query, self._script = page, urlencode(query or {}), ""
        return self.rerun()

    def rerun(self, fragment: str = "") -> Answer:
        """Run the page, or one of its fragments, with everything as it stands."""
        self.send(self.client_state(fragment))
        return self.wait()

    def rerun_until(self, holds: Callable[[], object], fragment: str = "") -> Answer | None:
        """Run the page again until this holds, which takes a few runs; the last answer, None where it held before."""
        answer = None
        for _ in range(MOST_RUNS):
            if holds():
                return answer
            answer = self.rerun(fragment)
        said = "\n".join(text.body for kind in ("markdown", "alert") for text in answer.shown(kind)) if answer else ""
        raise TimeoutError(f"{MOST_RUNS} runs at ?{self.query}, and the page says:\n{said}")

    def client_state(self, fragment: str = "") -> BackMsg:
        """The message that asks for a run; to be bent by a test that plays a broken or hostile client."""
        state = ClientState(
            query_string=self.query,
            page_script_hash=self._script,
            page_name="" if self._script else self.page,
            fragment_id=fragment,
            cached_message_hashes=list(self._kept),
        )
        state.widget_states.widgets.extend(self._states.values())
        state.context_info.locale = self.locale
        state.context_info.url = f"{self.url}/{self.page}"
        state.context_info.color_scheme = "light"
        return BackMsg(rerun_script=state)

    def send(self, message: BackMsg | bytes) -> None:
        self._started = time.perf_counter()
        self._socket.send(message if isinstance(message, bytes) else message.SerializeToString())

    def wait(self, until: Callable[[ForwardMsg], bool] | None = None) -> Answer:
        """Read on to the end of the script's run, or to a message for which `until` holds."""
        answer, new = Answer(), dict[str, Widget]()
        while True:
            left = self._started + self.patience - time.perf_counter()
            data = self._socket.recv(timeout=max(0.0, left))
            if not isinstance(data, bytes):
                raise TypeError("the server sent text")
            answer.size += len(data)
            message = self._unfolded(data)
            answer.messages.append(message)
            self._heed(message, new)
            over = message.HasField("script_finished") and message.script_finished in ENDS
            if over or (until and until(message)):
                answer.seconds = time.perf_counter() - self._started
                self._forget(message, new)
                return answer

    def _unfolded(self, data: bytes) -> ForwardMsg:
        message = ForwardMsg.FromString(data)
        if message.HasField("ref_hash"):
            whole = ForwardMsg()
            whole.CopyFrom(self._kept[message.ref_hash])
            whole.metadata.CopyFrom(message.metadata)
            return whole
        if message.metadata.cacheable:
            self._kept[message.hash] = message
        return message

    def _heed(self, message: ForwardMsg, new: dict[str, Widget]) -> None:
        """Do what a browser does on this message, and note in `new` the widgets of this run."""
        if message.HasField("new_session"):
            new.clear()
        elif message.HasField("navigation"):
            self._script = message.navigation.page_script_hash
        elif message.HasField("page_info_changed"):
            self.query = message.page_info_changed.query_string
        elif message.HasField("delta"):
            if message.delta.fragment_id:
                self.fragments.add(message.delta.fragment_id)
            if (widget := widget_of(message.delta)) is not None:
                new[widget.key] = widget
                state = state_of(widget)
                if state and (widget.id not in self._states or getattr(widget.proto, "set_value", False)):
                    self._states[widget.id] = state

    def _forget(self, last: ForwardMsg, new: dict[str, Widget]) -> None:
        """After a run of the whole page a widget that was not drawn is gone, and its state with it."""
        self.widgets |= new
        if last.HasField("script_finished") and last.script_finished == ForwardMsg.FINISHED_SUCCESSFULLY:
            self.widgets = dict(new)
            drawn = {widget.id for widget in new.values()}
            self._states = {id: state for id, state in self._states.items() if id in drawn}


def widget_of(delta: Delta) -> Widget | None:
    kind = delta.new_element.WhichOneof("type") if delta.HasField("new_element") else None
    proto = getattr(delta.new_element, kind) if kind else None
    id = getattr(proto, "id", "")
    return Widget(id, delta.fragment_id, kind, proto) if kind and id.startswith("$$ID-") else None


def state_of(widget: Widget, value: Any = None) -> WidgetState | None:
    """The widget's state with `value`; without one, with what the server has set or its default. None: it has none.

    An option goes by the words the reader sees.
    """
    proto, state = widget.proto, WidgetState(id=widget.id)
    given = value is not None
    match widget.kind:
        case "slider" if proto.type == Slider.SELECT_SLIDER:
            at = proto.value if proto.set_value else proto.default
            drawn = (
                list(proto.raw_value) if proto.set_value and proto.raw_value else [proto.options[int(i)] for i in at]
            )
            state.string_array_value.data.extend([value] if given else drawn)
        case "slider":
            state.double_array_value.data.extend(
                [value] if given else proto.value if proto.set_value else proto.default
            )
        case "button_group":
            drawn = list(proto.raw_values) if proto.set_value else [proto.options[i].content for i in proto.default]
            state.string_array_value.data.extend([value] if given else drawn)
        case "selectbox":
            default = proto.options[proto.default] if proto.HasField("default") and proto.options else ""
            state.string_value = value if given else proto.raw_value if proto.set_value else default
        case "text_input":
            state.string_value = value if given else proto.value if proto.set_value else proto.default
        case "number_input":
            state.double_value = value if given else proto.value if proto.set_value else proto.default
        case "checkbox":
            state.bool_value = value if given else proto.value if proto.set_value else proto.default
        case "bidi_component" if given:
            state.json_value = value
        case _:
            return None
    return state
