"""`python -m infra.local.pinecone_server`: serve an index until told to stop."""

from __future__ import annotations

import argparse
import signal
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from infra.local.pinecone_server.server import PineconeServer


def main(arguments: Sequence[str]) -> int:
    """Serve, after saying what to export."""
    parser = argparse.ArgumentParser(prog="python -m infra.local.pinecone_server")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=5081)
    parser.add_argument("--dimension", type=int, default=384, help="of the index's vectors")
    parser.add_argument("--api-key", default="local", help="that callers must send")
    parser.add_argument("--data", type=Path, help="file that keeps the records")
    options = parser.parse_args(arguments)
    server = PineconeServer(
        options.dimension,
        host=options.host,
        port=options.port,
        api_key=options.api_key,
        data=options.data,
    )
    print(f"export PINECONE_API_KEY={options.api_key} PINECONE_HOST={server.url}", flush=True)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with suppress(KeyboardInterrupt):
        server.serve_forever()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
