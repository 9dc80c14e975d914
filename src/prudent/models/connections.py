"""HTTP clients with kept-alive connections: one for each event loop and server, shared by all models that use it."""

from __future__ import annotations

import asyncio
import ssl
import threading
from dataclasses import dataclass
from functools import cache

import httpx2

KEPT_CONNECTIONS = 100
"""Idle connections that are kept for the next call, for each server."""

KEPT_SECONDS = 30.0


@dataclass(frozen=True, slots=True)
class Server:
    """Where a client connects to."""

    origin: str
    """Scheme, host and port."""

    unix_socket: str = ""
    """Path of the socket that is spoken to instead of the network, if any."""


@dataclass(slots=True)
class _Shared:
    client: httpx2.AsyncClient
    users: int = 0


_loops: dict[asyncio.AbstractEventLoop, dict[Server, _Shared]] = {}
_lock = threading.Lock()


def acquire(server: Server) -> httpx2.AsyncClient:
    """Give the running loop's client for a server, and count the caller as a user of it until `release`."""
    loop = asyncio.get_running_loop()
    with _lock:
        # A closed loop cannot close its connections any more; dropping the client frees the sockets.
        for dead in [known for known in _loops if known.is_closed()]:
            del _loops[dead]
        shared = _loops.setdefault(loop, {}).get(server)
        if shared is None:
            shared = _loops[loop][server] = _Shared(_new_client(server))
        shared.users += 1
        return shared.client


async def release(server: Server) -> None:
    """Stop using the running loop's client; the last user closes its connections."""
    loop = asyncio.get_running_loop()
    with _lock:
        shared = _loops.get(loop, {}).get(server)
        if shared is None:
            return
        shared.users -= 1
        if shared.users > 0:
            return
        del _loops[loop][server]
        if not _loops[loop]:
            del _loops[loop]
    await shared.client.aclose()


def _new_client(server: Server) -> httpx2.AsyncClient:
    limits = httpx2.Limits(max_keepalive_connections=KEPT_CONNECTIONS, keepalive_expiry=KEPT_SECONDS)
    # Loading the certificates takes a tenth of a second, so it is done once, and not for plain HTTP.
    verify = _certificates() if server.origin.startswith("https:") else ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    transport = httpx2.AsyncHTTPTransport(uds=server.unix_socket, limits=limits, verify=verify) if server.unix_socket else None
    return httpx2.AsyncClient(verify=verify, limits=limits, transport=transport)


@cache
def _certificates() -> ssl.SSLContext:
    return httpx2.create_ssl_context()
