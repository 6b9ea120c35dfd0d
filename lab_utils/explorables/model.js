// How long a way of writing `commands` values should take: turns × (RTT + a) + commands × c, as
// lab_utils/model.py has it. A way is {at_once, turn_us, command_us}: `at_once` commands share a
// turn, all of them where it is null. Threads wait at the same time and share one CPU: for them
// the longer of the two counts.

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
  const waiting = turns(way, commands) * (rttMs + way.turn_us / 1000);
  const work = commands * way.command_us / 1000;
  return way.at_once > 1 ? Math.max(waiting, work) : waiting + work;
}
