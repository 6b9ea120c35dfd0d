def fair_pair():
    commands = [("SET", f"exercise:{i}", b"x" * 1_000) for i in range(100)]

    def loop(r):
        return [r.execute_command(*command) for command in commands]

    def pipeline(r):
        with r.pipeline(transaction=False) as pipe:
            for command in commands:
                pipe.execute_command(*command)
            return pipe.execute()

    return loop, pipeline


lab.check("14.2", fair_pair)
