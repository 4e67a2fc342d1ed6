"""
What stands for the broker: takes CloudEvents, and keeps them
"""

import contextlib
import http.server
import threading
import time


class Broker(contextlib.AbstractContextManager):
    """
    A list of (headers in small letters, body) of the requests that came
    """

    def __enter__(self):
        events = self.events = []

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):  # noqa: N802
                body = self.rfile.read(int(self.headers.get("content-length", 0))).decode()
                events.append(({name.lower(): value for name, value in self.headers.items()}, body))
                self.send_response(202)
                self.end_headers()

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/holdfast/storage"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()

    def event(self, identifier, seconds=20):
        """
        The event with this ce-id, waited for
        """
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            for event in self.events:
                if event[0].get("ce-id") == identifier:
                    return event
            time.sleep(0.05)
        raise AssertionError(
            f"no event {identifier} within {seconds} s, but {[each[0].get('ce-id') for each in self.events]}"
        )
