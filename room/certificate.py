"""The certificate of a room in containers: its own, made once, so that what browsers and laptops were told stays true."""

import datetime
import ipaddress

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from room.board.people import write_private

DAYS, LAST_DAYS = 365, 30  # it is good for; and before its end it is made anew


def settled(folder, name):
    """Make cert.pem and key.pem in `folder`, a Path, for the host `name`, unless they are there; return the first, as text."""
    path = folder / "cert.pem"
    if not is_good(path, name):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        key = ec.generate_private_key(ec.SECP256R1())
        write_private(folder / "key.pem", private(key).decode())
        write_private(path, made(key, name).decode())
    return path.read_text(encoding="ascii")


def is_good(path, name):
    """Return True for a certificate of that host that is not about to end."""
    try:
        found = x509.load_pem_x509_certificate(path.read_bytes())
        names = found.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except (OSError, ValueError, x509.ExtensionNotFound):
        return False
    until = datetime.datetime.now(datetime.UTC) + datetime.timedelta(days=LAST_DAYS)
    return host(name) in names and found.not_valid_after_utc > until and path.with_name("key.pem").exists()


def host(name):
    try:
        return x509.IPAddress(ipaddress.ip_address(name))
    except ValueError:
        return x509.DNSName(name)


def made(key, name):
    """Return a certificate, as PEM, that vouches for itself alone, for `name` and this machine."""
    now = datetime.datetime.now(datetime.UTC)
    who = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Redis Round-Trip Lab: a room")])
    names = dict.fromkeys((host(name), host("localhost"), host("127.0.0.1")))
    return (x509.CertificateBuilder().subject_name(who).issuer_name(who).public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - datetime.timedelta(hours=1)).not_valid_after(now + datetime.timedelta(days=DAYS))
            .add_extension(x509.SubjectAlternativeName(names), critical=False)
            .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
            .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
            .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
            .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(key.public_key()), critical=False)
            .sign(key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM))


def private(key):
    return key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
