# refused: its connections still use HiredisRespSerializer
def without_hiredis(r):
    return like(r, parser_class=_RESP3Parser)


lab.check("09.2", without_hiredis)
