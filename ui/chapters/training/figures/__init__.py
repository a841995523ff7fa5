"""Arrays and labels in, pictures out: what this chapter alone draws. No torch, no Streamlit, no words."""
