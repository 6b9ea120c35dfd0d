"""Replies of fakeredis as the bytes that Redis sends for them.

fakeredis' own encoder makes a simple string of every value without a line break. A client reads it
all the same, but the bytes are other ones.
"""

from fakeredis._clients._tcp_server import encode_reply, to_bytes
from fakeredis._helpers import SimpleError, SimpleString

MESSAGES = b"message", b"pmessage", b"smessage"
# With the number of channels behind it, which no value of a key is: they are bytes.
CONFIRMATIONS = tuple(start + b"subscribe" for start in (b"", b"un", b"p", b"pun", b"s", b"sun"))


class Status(bytes):
    """A reply such as OK, which Redis sends as +OK."""


def kept_apart(reply, plain):
    """Return a reply of fakeredis in a form from which its kind on the wire can still be told.

    A status becomes a Status, an error stays as it is; any other reply is converted by
    `plain(reply)`, fakeredis' own function.
    """
    if isinstance(reply, SimpleString):
        return Status(reply.value)
    return reply if isinstance(reply, SimpleError) else plain(reply)


def is_push(reply, subscribed):
    """Return whether `reply` is a message of pub/sub, or confirms a subscription or its end.

    `subscribed` is whether the connection has a subscription: only then a list can be a message.
    """
    if not isinstance(reply, list) or not 2 < len(reply) < 5:
        return False
    confirms = reply[0] in CONFIRMATIONS and isinstance(reply[2], int)
    return confirms or (subscribed and reply[0] in MESSAGES)


def encoded(reply, protocol, pushed=False):
    """Return the bytes of `reply` on the wire, in RESP2 or RESP3: `protocol` is 2 or 3.

    If `pushed`, the reply is a message of pub/sub, which RESP3 marks as a push; RESP2 has no such
    mark.
    """
    if isinstance(reply, Status):
        return b"+%s\r\n" % bytes(reply)
    if isinstance(reply, (bytes, str)):
        data = to_bytes(reply)
        return b"$%d\r\n%s\r\n" % (len(data), data)
    if isinstance(reply, (list, tuple)):
        head = b"%s%d\r\n" % (b">" if pushed and protocol == 3 else b"*", len(reply))
        return head + joined(reply, protocol)
    if isinstance(reply, dict):
        parts = [part for pair in reply.items() for part in pair]
        head = b"%%%d\r\n" % len(reply) if protocol == 3 else b"*%d\r\n" % len(parts)
        return head + joined(parts, protocol)
    return encode_reply(reply, protocol)


def joined(parts, protocol):
    return b"".join(encoded(each, protocol) for each in parts)
