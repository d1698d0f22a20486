"""The tablets' interface over real HTTP on loopback, in this process, so that a test can look into its city too."""

import socket
import threading
import time

import uvicorn
from starlette.applications import Starlette
from starlette.routing import Mount

from sync.server.api.service import guarded_api


class RealServer:
    """uvicorn in a thread on a loopback port that stays the same over stop and start."""

    def __init__(self, city):
        self.app = Starlette(routes=[Mount("/api/v1", guarded_api(city))])
        with socket.create_server(("127.0.0.1", 0)) as found:
            self.port = found.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"

    def __enter__(self):
        self.server = uvicorn.Server(uvicorn.Config(self.app, port=self.port, log_level="critical", lifespan="off"))
        self.thread = threading.Thread(target=self.server.run, daemon=True)
        self.thread.start()
        while not self.server.started:
            assert self.thread.is_alive()
            time.sleep(0.005)
        return self

    def __exit__(self, *_):
        self.server.should_exit = True
        self.thread.join(10)
