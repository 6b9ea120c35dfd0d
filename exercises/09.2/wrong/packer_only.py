# refused: its connections still use _HiredisParser
def without_hiredis(r):
    return like(r, command_packer=PythonRespSerializer(6_000, r.get_encoder().encode))


lab.check("09.2", without_hiredis)
