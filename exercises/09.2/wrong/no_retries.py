# refused: all else should stay as in r, but retry is
from redis.backoff import NoBackoff
from redis.retry import Retry


def without_hiredis(r):
    return like(
        r,
        parser_class=_RESP3Parser,
        retry=Retry(NoBackoff(), 0),
        command_packer=PythonRespSerializer(6_000, r.get_encoder().encode),
    )


lab.check("09.2", without_hiredis)
