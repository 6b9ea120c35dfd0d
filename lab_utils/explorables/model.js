// How long a way of writing `commands` values should take: turns × (RTT + a) + commands × c, as
// lab_utils/model.py has it. A way is {at_once, turn_us, command_us}: `at_once` commands share a
// turn, all of them where it is null; those that wait at the same time share one CPU. `direct` has
// both costs at distance 0, where they were measured.

export function turns(way, commands) {
  return way.at_once ? Math.ceil(commands / way.at_once) : 1;
}

// `commands` in batches, one after another: a turn for each.
export function inBatches(way, commands, batch, rttMs) {
  return Math.ceil(commands / batch) * (rttMs + way.turn_us / 1000) + commands * way.command_us / 1000;
}

// The smallest batch that takes at most a tenth longer than all in one.
export function largeEnough(way, commands, rttMs) {
  const spare = 1.1 * inBatches(way, commands, commands, rttMs) - commands * way.command_us / 1000;
  return Math.ceil(commands / Math.floor(spare / (rttMs + way.turn_us / 1000)));
}

export function milliseconds(way, commands, rttMs) {
  const costs = rttMs ? way : way.direct ?? way;
  const [wait, work] = [rttMs + costs.turn_us / 1000, costs.command_us / 1000];
  return way.at_once ? sideBySide(commands, way.at_once, wait, work) : wait + commands * work;
}

// When the one CPU of a client begins a call, of calls that share so many connections: it has begun all
// before, and the call's connection is back. lab_utils/model.py has it too.
export function begins(call, connections, rttMs, cpuMs) {
  const turn = Math.floor(call / connections);
  return Math.max(call * cpuMs, turn * (rttMs + cpuMs) + (call % connections) * cpuMs);
}

export function sideBySide(calls, connections, rttMs, cpuMs) {
  return begins(calls - 1, connections, rttMs, cpuMs) + cpuMs + rttMs;
}

// How many calls are under way or wait, every 5 ms for 4 s: so many come a second, evenly; each holds one of `size`
// connections for `held` ms; from 0.8 s on nothing is answered for `pause` seconds. pool.py has it too.
export function underWay({ arrivals, held, size, pause }) {
  const found = [Math.min(size, arrivals * held / 1000)];
  for (let step = 0; step < 800; step += 1) {
    const served = step >= 160 && step < 160 + 200 * pause ? 0 : 5 * Math.min(size, found[step]) / held;
    found.push(found[step] + 0.005 * arrivals - served);
  }
  return found;
}

// What somebody else feels while a server works in pieces that nothing interrupts; tests/test_dragged_who.py has
// it too. A way is {points, pieces, at_once, gap_us, own_us, ahead}: [keys, µs] in all; how many pieces, or where it is not
// null, keys a piece; the µs between two pieces, and for each key of one; how many more (0 or 1) run before a PING's reply leaves.
export function serving(way, keys, atOnce = way.at_once) {
  const pieces = atOnce ? Math.ceil(keys / atOnce) : way.pieces;
  const piece = workOf(way.points, keys) / pieces / 1000;
  const gap = (way.gap_us + way.own_us * keys / pieces) / 1000;
  const each = piece + gap;
  const total = pieces * each;
  const worst = piece + Math.min(way.ahead, pieces - 1) * each;
  const mean = piece * (pieces * piece / 2 + way.ahead * (pieces - 1) * each) / total;
  return { pieces, piece, each, total, worst, mean, ahead: way.ahead };
}

// How long a PING waits that comes `at` ms after the first piece began.
export function waitAt({ pieces, piece, each, ahead }, at) {
  const place = Math.floor(at / each);
  if (place >= pieces || at - place * each >= piece) return 0;
  return (place + Math.min(ahead, pieces - 1 - place)) * each + piece - at;
}

// The server's µs for so many keys: on a line between what was measured for fewer and for more.
function workOf(points, keys) {
  const next = points.findIndex(([measured]) => measured >= keys);
  const [[few, least], [many, most]] = [[0, 0], ...points].slice(next < 0 ? -2 : next).slice(0, 2);
  return least + (keys - few) * (most - least) / (many - few);
}
