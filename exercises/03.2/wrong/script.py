# refused: 9,500 values in one batch; the limit is 1,000
def write_all(r, values):
    r.eval(
        "for i = 1, #ARGV, 2 do redis.call('SET', ARGV[i], ARGV[i + 1], 'EX', 3600) end",
        0,
        *[part for pair in values.items() for part in pair],
    )


lab.check("03.2", write_all)
