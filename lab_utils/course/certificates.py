"""The certificate of a room's board: its short code for people, and trust for machines."""

import hashlib
import ssl


def code(pem):
    """Return a certificate's SHA-256, its first 64 bits in fours: "3f2a-91bc-77de-0a41"."""
    digest = hashlib.sha256(ssl.PEM_cert_to_DER_cert(pem)).hexdigest()
    return "-".join(digest[place : place + 4] for place in range(0, 16, 4))


def trust(certificate=""):
    """Return an SSLContext that believes the machine's authorities, or one certificate's file.

    Whoever has its key is the board, at any address.
    """
    context = ssl.create_default_context(cafile=certificate or None)
    context.check_hostname = not certificate
    return context
