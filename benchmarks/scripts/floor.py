"""Baselines: the same slider, a line of text or a Plotly heatmap, without anything of ours."""

import numpy as np
import plotly.graph_objects as go
import streamlit as st

from ui.model.shipped import boot

boot()


@st.fragment
def text() -> None:
    st.text(f"value {st.slider('text', 1, 64, 8)}")


@st.fragment
def plotly() -> None:
    size = st.slider("plotly", 1, 64, 20)
    mask = np.tril(np.ones((size, size), dtype=np.float32))
    st.plotly_chart(go.Figure(go.Heatmap(z=mask, zmin=0, zmax=1)), config={"displayModeBar": False})


text()
plotly()
