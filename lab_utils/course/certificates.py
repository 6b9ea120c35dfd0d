"""The certificate of a room's board: by what people know it, and what a learner's machine then believes."""

import hashlib
import ssl


def code(pem):
    """The first 64 bits of a certificate's SHA-256, in fours, for people to compare: "3f2a-91bc-77de-0a41"."""
    digest = hashlib.sha256(ssl.PEM_cert_to_DER_cert(pem)).hexdigest()
    return "-".join(digest[place:place + 4] for place in range(0, 16, 4))


def trust(certificate=""):
    """An SSLContext that believes the machine's authorities, or else the one certificate in a file: who has its key is the
    board, by whatever address.
    """
    context = ssl.create_default_context(cafile=certificate or None)
    context.check_hostname = not certificate
    return context
