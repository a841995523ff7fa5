"""The map, where the app starts: the paper's figure 1, whose blocks lead to the chapters.

`streamlit run` imports this file and serves the `app` that it finds. Streamlit runs it as `__main__` for every reader,
whatever the page, and once more for the map.
"""

import streamlit as st

if __name__ == "__main__":
    from ui.frame.navigation import navigate

    if not navigate():
        from ui.chapters.map import CONTENTS
        from ui.sections.contents import draw

        draw(CONTENTS)
else:
    from ui.host import around

    app = st.App(__file__, **around())
