"""What the app adds to Streamlit's server: `app.py` and `glassformer` make `st.App(script, **around())` of it.

Every page has its name, icon and preview before it loads, Streamlit's own files go out compressed, the models are
loaded before the first reader comes, and `/metrics` tells a monitor how things go.
"""

from ui.host.serving import around

__all__ = ["around"]
