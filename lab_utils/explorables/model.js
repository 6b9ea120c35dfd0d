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

// What a turn waits and a command computes, in ms.
function costsOf(way, rttMs) {
  const costs = rttMs ? way : way.direct ?? way;
  return { wait: rttMs + costs.turn_us / 1000, work: costs.command_us / 1000 };
}

// When the one CPU of a client begins a call, of calls that share so many connections: it has begun
// all before, and the call's connection is back. lab_utils/model.py has it too.
function begins(call, connections, { wait, work }) {
  const turn = Math.floor(call / connections);
  return Math.max(call * work, turn * (wait + work) + (call % connections) * work);
}

export function milliseconds(way, commands, rttMs) {
  const costs = costsOf(way, rttMs);
  if (!way.at_once) return costs.wait + commands * costs.work;
  return begins(commands - 1, way.at_once, costs) + costs.work + costs.wait;
}

// Each request as [sent, answered, commands, connection], in ms.
export function flights(way, commands, rttMs) {
  if (!way.at_once) return [[0, milliseconds(way, commands, rttMs), commands, 0]];
  const costs = costsOf(way, rttMs);
  return Array.from({ length: commands }, (_, call) => {
    const sent = begins(call, way.at_once, costs) + costs.work;
    return [sent, sent + costs.wait, 1, call % way.at_once];
  });
}

// How many calls are under way or wait, every 5 ms for 4 s: so many come a second, evenly; each
// holds one of `size` connections for `held` ms; from 0.8 s on nothing is answered for `pause`
// seconds. pool.py has it too.
export function underWay({ arrivals, held, size, pause }) {
  const found = [Math.min(size, arrivals * held / 1000)];
  for (let step = 0; step < 800; step += 1) {
    const served = step >= 160 && step < 160 + 200 * pause ? 0 : 5 * Math.min(size, found[step]) / held;
    found.push(found[step] + 0.005 * arrivals - served);
  }
  return found;
}
