"""Arrays and labels in, a picture out: no torch, no Streamlit, no wording."""
