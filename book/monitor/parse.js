// From the text of a log to its round trips: no page, no network. A script of the old kind, since a
// browser takes no module from a file; what others use is in `monitorLog`.
"use strict";

const monitorLog = (() => {
  const LINE = /(\d{9,12}\.\d{6}) \[\d+ (lua|unix:.*?|\[[^\]]+\]:\d+|[^\s\]"]+)\] (?=")/;
  const SET_UP = new Set("HELLO AUTH SELECT READONLY CLIENT".split(" "));
  const BLOCKS = /^(B[LRZ]\w+|XREAD(GROUP)?|WAIT(AOF)?)\b/;
  const CONTAINERS = /^(ACL|CLIENT|CLUSTER|COMMAND|CONFIG|FUNCTION|LATENCY|MEMORY|MODULE|OBJECT|PUBSUB|SCRIPT|XGROUP|XINFO)$/;
  // Where a command's first key stands. Of all others nothing is shown but the name: what follows
  // may be a password.
  const KEY_SECOND = /^(OBJECT|MEMORY|XGROUP|XINFO|BITOP)$/, KEY_THIRD = /^(EVAL|FCALL)/;
  const KEY_FIRST = new RegExp(`^(${"APPEND BITCOUNT BITFIELD BITFIELD_RO BITPOS BLMOVE BLPOP BRPOP BZPOPMAX BZPOPMIN COPY DECR "
    + "DECRBY DEL DUMP EXISTS EXPIRE EXPIREAT EXPIRETIME GEOADD GEODIST GEOPOS GEOSEARCH GET GETBIT GETDEL GETEX GETRANGE GETSET "
    + "H(DEL|EXISTS|GET|GETALL|INCRBY|INCRBYFLOAT|KEYS|LEN|MGET|MSET|RANDFIELD|SCAN|SET|SETNX|STRLEN|VALS|EXPIRE|TTL) INCR INCRBY "
    + "INCRBYFLOAT LINDEX LINSERT LLEN LMOVE LPOP LPOS LPUSH LPUSHX LRANGE LREM LSET LTRIM MGET MSET MSETNX PERSIST PEXPIRE "
    + "PEXPIREAT PFADD PFCOUNT PFMERGE PSETEX PTTL RENAME RESTORE RPOP RPOPLPUSH RPUSH RPUSHX S(ADD|CARD|DIFF|INTER|ISMEMBER|MEMBERS|"
    + "MISMEMBER|MOVE|POP|RANDMEMBER|REM|SCAN|UNION) SET SETBIT SETEX SETNX SETRANGE SORT SORT_RO STRLEN TOUCH TTL TYPE UNLINK WATCH "
    + "X(ACK|ADD|AUTOCLAIM|CLAIM|DEL|LEN|PENDING|RANGE|REVRANGE|TRIM) Z(ADD|CARD|COUNT|INCRBY|LEXCOUNT|MSCORE|POPMAX|POPMIN|RANDMEMBER|"
    + "RANGE\\w*|RANK|REM\\w*|REVRANGE\\w*|REVRANK|SCAN|SCORE) (JSON|TS|BF|CF|CMS|TOPK|TDIGEST)\\.\\w+"}`.replaceAll(" ", "|") + ")$");

  // {at in µs, on, name, key} of a line, or null. A prefix of docker's or kubectl's may stand before.
  function command(line) {
    const found = LINE.exec(line.slice(0, 400));
    if (!found) return null;
    let from = found.index + found[0].length; // of a quoted word
    const word = () => {
      let to = from, slashes = 1;
      while (slashes % 2 && to >= 0) {
        to = line.indexOf('"', to + 1);
        for (slashes = 0; line[to - 1 - slashes] === "\\";) slashes += 1;
      }
      const said = line[from] === '"' && to > 0 ? line.slice(from + 1, to) : undefined;
      from = to + 2;
      return said;
    };
    const words = (count) => Array.from({ length: count }, word).at(-1);
    let name = (word() ?? "").toUpperCase(), key;
    if (!/^[A-Z][\w.|-]{0,30}$/.test(name)) name = "?";
    else if (KEY_FIRST.test(name)) key = word();
    else if (KEY_THIRD.test(name)) key = words(2) === "0" ? undefined : word();
    else if (CONTAINERS.test(name) || KEY_SECOND.test(name)) {
      const second = word() ?? "";
      key = KEY_SECOND.test(name) ? word() : undefined;
      if (/^[A-Za-z-]{1,20}$/.test(second)) name += ` ${second.toUpperCase()}`;
    }
    const setUp = SET_UP.has(name) || name.startsWith("CLIENT ");
    return { at: Math.round(Number(found[1]) * 1e6), on: found[2], name, setUp, key: key?.slice(0, 200) };
  }

  // Keys as roundtrips shows them: a word of letters only, seen in three keys or more, at a place
  // where few words stand; {…} for any other.
  const HOLE = "{…}", PLAIN = /^[A-Za-z_-]{1,24}$/;
  const ESCAPED = /\\x[0-9a-f]{2}|\\./g, MAIL = /[^\s:/|]+@[^\s:/|]+/g, SEPARATORS = /([:./| ]+)/;
  function patterns(keys) {
    const cut = new Map(), places = new Map(); // "how many parts, which" -> {word: in how many keys}
    for (const key of keys) {
      if (cut.has(key)) continue;
      const plain = key.includes("\\") ? key.replace(ESCAPED, "0") : key;
      const parts = (plain.includes("@") ? plain.replace(MAIL, HOLE) : plain).split(SEPARATORS);
      cut.set(key, parts);
      for (let place = 0; place < parts.length; place += 2) {
        if (!PLAIN.test(parts[place])) continue;
        const at = 1000 * parts.length + place, words = places.get(at) ?? places.set(at, new Map()).get(at);
        words.set(parts[place], (words.get(parts[place]) ?? 0) + 1);
      }
    }
    const shown = (parts, part, place) => {
      const words = places.get(1000 * parts.length + place);
      return words?.size <= 12 && words.get(part) >= 3;
    };
    for (const [key, parts] of cut) {
      cut.set(key, parts.map((part, place) => (place % 2 || shown(parts, part, place) ? part : HOLE)).join("").slice(0, 60));
    }
    return cut;
  }

  // What one connection sent, in its order. A script's commands only say how long the script took.
  function connections(commands) {
    const all = new Map();
    let last = null;
    for (const each of commands) {
      if (each.on === "lua") { if (last) last.end = each.at; continue; }
      if (!all.has(each.on)) all.set(each.on, []);
      const sent = all.get(each.on), before = sent.at(-1);
      // A line's time is when the server began: without a wait the next begins as soon as this ends.
      each.gap = before && !BLOCKS.test(before.name) ? Math.max(0, each.at - before.end) : Infinity;
      if (before && each.at < before.at) each.gap = Infinity; // another log begins
      each.end = each.at;
      sent.push(each);
      last = each;
    }
    return all;
  }

  // Where the gaps of a host's connections part into those inside a pipeline and waits, in µs: first
  // the likeliest cut, then any other that is nearly as good. A cut stands in a valley, a place
  // where no gap is, at least half as wide (by ratio) as the widest. Of several the one counts that
  // parts the gaps best (Otsu's rule, on logarithms; a tenth of them is thought added on each side).
  const FAST = 3, NEAR = 100;
  function cuts(gaps) {
    // Where most waits are long, as from another machine, so is the shortest of them.
    const long = gaps.filter((gap) => gap >= 2 * NEAR && gap < 1e6).sort((a, b) => a - b);
    const few = gaps.filter((gap) => gap > 20 && gap < 2 * NEAR).length <= long.length;
    const wait = Math.log(few && long.length ? long[Math.floor(long.length / 10)] : NEAR), most = wait + Math.log(5);
    const logs = Float64Array.from(gaps.filter((gap) => gap < 1e7), (gap) => Math.min(most, Math.log(Math.max(1, gap)))).sort();
    const thought = 1 + logs.length / 10;
    const all = logs.reduce((total, log) => total + log, 0) + thought * wait, count = logs.length + 2 * thought;
    const found = [];
    let below = thought, lower = 0, from = Math.log(FAST);
    const valley = (to) => {
      const apart = (all - lower) / (count - below) - lower / below;
      if (to > from) found.push({ cut: Math.exp((from + to) / 2), wide: to - from, good: below * (count - below) * apart ** 2 });
    };
    for (const log of logs) {
      valley(log);
      from = Math.max(from, log);
      below += 1;
      lower += log;
    }
    valley(wait);
    const widest = found.reduce((most, { wide }) => Math.max(most, wide), 0);
    const clear = found.filter(({ wide }) => wide > widest / 2).sort((a, b) => b.good - a.good);
    return clear.filter(({ good }) => good > 0.5 * clear[0].good).map(({ cut }) => cut);
  }

  const hostOf = (on) => on.replace(/:\d+$/, "");

  // The round trips of a connection: each [command, …]. Redis logs a transaction's commands when EXEC
  // comes: if that took a wait, MULTI and each of them had been sent by itself.
  function trips(sent, cut) {
    const found = [];
    let apart = false;
    sent.forEach((each, place) => {
      const after = sent[place - 1]?.name;
      if (after === "MULTI") {
        let ends = place;
        while (ends < sent.length - 1 && !/^(EXEC|DISCARD)$/.test(sent[ends].name)) ends += 1;
        apart = each.name !== "DISCARD" && each.gap >= cut * (ends - place + 1);
      }
      if (each.gap >= cut || apart) found.push([each]);
      else found.at(-1).push(each);
      if (each.name === "EXEC") apart = false;
    });
    return found;
  }

  const work = (trip) => trip.some((each) => !each.setUp);
  // So many alike, one after another with at most three others between, are a loop; µs that end it.
  const LOOP = 5, PAUSE = 500_000;

  // Puts into each trip of a lane which run it belongs to.
  function runs(lane, typical) {
    const open = new Map();
    lane.forEach((trip, place) => {
      const before = open.get(trip.label);
      const goesOn = before && place - before.last <= 4 && trip.at - before.at < Math.min(20 * typical, PAUSE);
      const run = goesOn ? before : { trips: 0 };
      trip.run = Object.assign(run, { trips: run.trips + 1, last: place, at: trip.at });
      if (trip.blocks) open.clear(); // what follows waited for somebody else
      else open.set(trip.label, run);
    });
  }

  async function analysed(commands, pause) {
    const shown = patterns(commands.filter((each) => each.key !== undefined).map((each) => each.key));
    for (const each of commands) each.label = each.key === undefined ? each.name : `${each.name} ${shown.get(each.key)}`;
    await pause();
    const all = connections(commands), hosts = new Map();
    for (const [on, sent] of all) {
      const host = hosts.get(hostOf(on)) ?? [];
      for (const each of sent) host.push(each.gap);
      hosts.set(hostOf(on), host);
    }
    for (const [host, gaps] of hosts) hosts.set(host, cuts(gaps));
    const lanes = [], range = [0, 0];
    let setUp = 0, count = 0;
    for (const [on, sent] of all) {
      const cut = hosts.get(hostOf(on)), counts = cut.slice(1).map((one) => trips(sent, one).filter(work).length);
      const made = trips(sent, cut[0]);
      const lane = made.filter(work).map((trip) => {
        const of = trip.filter((each) => !each.setUp);
        const names = [...new Set(of.filter((each) => !/^(MULTI|EXEC)$/.test(each.name)).map((each) => each.label))];
        const label = (names[0] ?? of[0].label) + (names.length > 1 ? " …" : "");
        return { at: trip[0].at, count: of.length, label, blocks: of.some((each) => BLOCKS.test(each.name)) };
      });
      range[0] += Math.min(lane.length, ...counts);
      range[1] += Math.max(lane.length, ...counts);
      setUp += made.length - lane.length;
      const waits = lane.slice(1).map((trip, place) => trip.at - lane[place].at).sort((a, b) => a - b);
      runs(lane, waits[waits.length >> 1] ?? 1000);
      count += lane.reduce((sum, trip) => sum + trip.count, 0);
      if (lanes.length % 50 === 49) await pause();
      if (lane.length) lanes.push({ on, trips: lane, could: mended(lane).length });
    }
    lanes.sort((a, b) => b.trips.length - a.trips.length);
    const inScripts = commands.filter((each) => each.on === "lua").length;
    return { commands: count, trips: sum(lanes, (lane) => lane.trips.length), range, setUp, inScripts, lanes, groups: groups(lanes),
      could: sum(lanes, (lane) => lane.could), cuts: [...hosts.values()].map((cut) => cut[0]),
      sockets: lanes.some((lane) => lane.on.startsWith("unix:")) };
  }

  const sum = (list, of) => list.reduce((all, each) => all + of(each), 0);
  const isLoop = (trip) => trip.run.trips >= LOOP;

  // A lane as it would be with one batch for each loop: of a loop the first trip is left.
  function mended(lane) {
    const met = new Set();
    return lane.filter((trip) => !isLoop(trip) || !met.has(trip.run) && met.add(trip.run));
  }

  function groups(lanes) {
    const found = new Map();
    for (const trip of lanes.flatMap((lane) => lane.trips)) {
      const group = found.get(trip.label) ?? { label: trip.label, trips: 0, commands: 0, loops: new Set() };
      group.trips += 1;
      group.commands += trip.count;
      if (isLoop(trip)) group.loops.add(trip.run);
      found.set(trip.label, group);
    }
    return [...found.values()].map((group) => ({ ...group, loops: group.loops.size })).sort((a, b) => b.trips - a.trips);
  }

  // What `roundtrips --json` printed, in the same form: counted, so there is no range and no lane.
  function counted(text) {
    const from = text.search(/^\{"format"/m);
    let told;
    try { told = from < 0 ? {} : JSON.parse(text.slice(from).split("\n", 1)[0]); } catch { return null; }
    if (!Array.isArray(told.call_sites) || ![told.round_trips, told.waits].every(Number.isInteger)) return null;
    const loops = told.findings?.filter((each) => each.kind === "loop") ?? [];
    const at = (each) => `${each.file}:${each.line}`;
    const saves = (where) => sum(loops.filter((each) => at(each) === where), (each) => each.saves);
    const sites = told.call_sites.filter((each) => !each.setup).map((each) => ({ label: `${each.label}`, trips: each.round_trips,
      where: at(each).split(/[\\/]/).at(-1), loops: loops.some((loop) => at(loop) === at(each)) ? 1 : 0, saves: saves(at(each)) }));
    return { exact: true, commands: sum(Object.values(told.commands ?? {}), Number), trips: told.round_trips, waits: told.waits,
      could: Math.max(1, told.waits - sum(loops, (each) => each.saves)), range: [told.round_trips, told.round_trips],
      setUp: told.setup_trips, inScripts: 0, lanes: [], groups: sites, cuts: [] };
  }

  // Reads a text a piece at a time, so that the page stays alive; null where no line is a log's.
  async function read(text, { pause = () => {}, piece = 10_000 } = {}) {
    const exact = counted(text);
    if (exact) return exact;
    const commands = [];
    for (let from = 0, lines = 1; from < text.length; lines += 1) {
      const to = text.indexOf("\n", from), end = to < 0 ? text.length : to;
      const found = command(text.slice(from, end));
      if (found) commands.push(found);
      from = end + 1;
      if (lines % piece === 0) await pause();
    }
    return commands.some((each) => each.on !== "lua") ? analysed(commands, pause) : null;
  }

  return { read, mended, isLoop };
})();
if (typeof module === "object") module.exports = monitorLog;
