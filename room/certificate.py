"""A room's own certificate, made once, so that what browsers and laptops were told stays true."""

import ipaddress
from datetime import UTC, datetime, timedelta

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from room.board.people import write_private

DAYS, LAST_DAYS = 365, 30  # it is good for; and before its end it is made anew


def settled(folder, name):
    """Return cert.pem of `folder`, a Path, as text; make it, and key.pem, unless it is good."""
    path = folder / "cert.pem"
    if not is_good(path, name):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        key = ec.generate_private_key(ec.SECP256R1())
        private = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
        write_private(folder / "key.pem", private.decode())
        write_private(path, made(key, name).decode())
    return path.read_text(encoding="ascii")


def is_good(path, name):
    """Return True for a certificate of that host that is not about to end."""
    try:
        found = x509.load_pem_x509_certificate(path.read_bytes())
        names = found.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except (OSError, ValueError, x509.ExtensionNotFound):
        return False
    lasts = found.not_valid_after_utc > datetime.now(UTC) + timedelta(days=LAST_DAYS)
    return host(name) in names and lasts and path.with_name("key.pem").exists()


def host(name):
    try:
        return x509.IPAddress(ipaddress.ip_address(name))
    except ValueError:
        return x509.DNSName(name)


def made(key, name):
    """Return a certificate, as PEM, that vouches for itself alone, for `name` and this machine."""
    now, public = datetime.now(UTC), key.public_key()
    who = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Redis Round-Trip Lab: a room")])
    names = dict.fromkeys((host(name), host("localhost"), host("127.0.0.1")))
    return (
        x509.CertificateBuilder()
        .subject_name(who)
        .issuer_name(who)
        .public_key(public)
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(hours=1))
        .not_valid_after(now + timedelta(days=DAYS))
        .add_extension(x509.SubjectAlternativeName(names), critical=False)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(public), critical=False)
        .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(public), False)
        .sign(key, hashes.SHA256())
        .public_bytes(Encoding.PEM)
    )
