"""Our own pictures in the browser: scripts mounted as components, and what a reader points at in them."""
