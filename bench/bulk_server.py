"""The far end of the bulk test: takes bytes and says when it has them all, or gives as many as it is asked for.

A request is `g` or `t` and a length of eight bytes. Prints its port and serves until it is ended.
"""

import socket
import threading


def serve(sock):
    room, block = bytearray(1 << 18), b"x" * (1 << 20)
    while head := sock.recv(9, socket.MSG_WAITALL):
        left = int.from_bytes(head[1:], "big")
        if head[:1] == b"g":
            while left:
                left -= sock.recv_into(room, min(left, len(room)))
            sock.sendall(b"x")
        while left:
            sock.sendall(block[:left])
            left -= min(left, len(block))


if __name__ == "__main__":
    listener = socket.create_server(("127.0.0.1", 0))
    print(listener.getsockname()[1], flush=True)
    while True:
        threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()
