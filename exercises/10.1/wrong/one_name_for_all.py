# refused: a batch, undisturbed: exercise:{shop}:mug is 0 and should be 1
ONCE = """
if redis.call('SET', KEYS[1], 1, 'NX', 'EX', 86400) then
  return redis.call('INCRBY', KEYS[2], ARGV[1])
end"""


def record(r, batch, sales):
    for product, number in sales.items():
        r.eval(ONCE, 2, batch, f"exercise:{{shop}}:{product}", number)


lab.check("10.1", record)
