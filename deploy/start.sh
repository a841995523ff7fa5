#!/bin/sh
# A server of the app. Where GLASSFORMER_RAY names a cluster this machine joins it, to hand runs over and take none.
if [ -n "${GLASSFORMER_RAY:-}" ]; then
	ray start --address="$GLASSFORMER_RAY" --num-cpus=0 --object-store-memory=100000000 --disable-usage-stats ||
		echo "No Ray at $GLASSFORMER_RAY: the server's own workers train." >&2
fi
exec python -m streamlit run app.py --server.address 0.0.0.0 --server.port 8501 --server.headless true
