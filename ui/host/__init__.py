"""The app as one ASGI application, `ui.host.app`, for `glassformer` and for a host's own server:

    uvicorn ui.host:app --ws-max-size 5242880

Beside what `streamlit run app.py` serves: Streamlit's own files go out compressed, the models are loaded before the
first reader comes, and `/metrics` tells a monitor how things go.
"""

from ui.host.serving import Host

app = Host()
