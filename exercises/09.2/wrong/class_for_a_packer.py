# refused: its connections can't be opened with the parser or packer that you passed: TypeError
def without_hiredis(r):
    return like(r, parser_class=_RESP3Parser, command_packer=PythonRespSerializer)


lab.check("09.2", without_hiredis)
