// How long a way of writing `commands` values should take: turns × (RTT + a) + commands × c, as
// lab_utils/model.py has it. A way is {at_once, turn_us, command_us}: `at_once` commands share a
// turn, all of them where it is null. Threads wait at the same time and share one CPU: for them
// the longer of the two counts.

export function turns(way, commands) {
  return way.at_once ? Math.ceil(commands / way.at_once) : 1;
}

export function milliseconds(way, commands, rttMs) {
  const waiting = turns(way, commands) * (rttMs + way.turn_us / 1000);
  const work = commands * way.command_us / 1000;
  return way.at_once > 1 ? Math.max(waiting, work) : waiting + work;
}

// What somebody else feels while a server works in pieces that nothing interrupts, as who.py has it. A way
// is {points, at_once, gap_us, ahead}: [keys, µs] in all, keys a piece (all of them where it is null), the µs
// between two pieces, and how many more pieces (0 or 1) run before the reply to a PING leaves.
export function serving(way, keys, atOnce = way.at_once ?? keys) {
  const pieces = Math.ceil(keys / atOnce);
  const piece = workOf(way.points, keys) / pieces / 1000;
  const each = piece + way.gap_us / 1000;
  const total = pieces * each - way.gap_us / 1000;
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
