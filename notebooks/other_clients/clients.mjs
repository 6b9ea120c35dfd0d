// Does with ioredis what Clients.java does: the same arguments, the same lines.
import Redis from "ioredis";

const [host, port, rounds, ...sizes] = process.argv.slice(2);
const options = { host, port: Number(port), password: process.env.LAB_PASSWORD };
const plain = new Redis(options);
const automatic = new Redis({ ...options, enableAutoPipelining: true });

const ways = {
  "ioredis, one by one": async (keys) => {
    const values = [];
    for (const key of keys) values.push(await plain.get(key));
    return values;
  },
  "ioredis, Promise.all": (keys) => Promise.all(keys.map((key) => plain.get(key))),
  "ioredis, auto-pipelining": (keys) => Promise.all(keys.map((key) => automatic.get(key))),
  "ioredis, pipelined": async (keys) => {
    const replies = await keys.reduce((pipeline, key) => pipeline.get(key), plain.pipeline()).exec();
    return replies.map(([, value]) => value);
  },
};

async function stats() {
  const told = await plain.info("stats");
  return ["total_reads_processed", "total_connections_received"].map((name) => Number(new RegExp(`${name}:(\\d+)`).exec(told)[1]));
}

for (const records of sizes.map(Number)) {
  const keys = Array.from({ length: records }, (_, each) => `key${each}`);
  for (const read of Object.values(ways)) {
    const until = Date.now() + 1_000; // until it is compiled, or a second is over
    for (let round = 0; round < 200 && Date.now() < until; round++) await read(keys);
  }
  for (let round = 0; round < Number(rounds); round++) {
    for (const [name, read] of Object.entries(ways)) {
      const [reads, connections] = await stats();
      const started = process.hrtime.bigint();
      const values = await read(keys);
      const took = process.hrtime.bigint() - started;
      if (values.some((value, each) => value !== `value of key${each}`)) throw new Error(`${name} read something else`);
      const [readsNow, connectionsNow] = await stats();
      console.log([name, records, took, readsNow - reads - 1, connectionsNow - connections, 0].join("\t")); // INFO is a read
    }
  }
}
process.exit(0);
