'use strict';
// From the page's JSON to numbers: frames, poses, contacts. The code of motions is told at the head of reel_code.c.
const Replay = {COLUMNS: 14, TIME: 0, STEP: 1, OWN: 2, EXACT: 3, KINETIC: 4, POTENTIAL: 5, DEEP: 6, ITERATIONS: 7, STATUS: 8,
  CONTACTS: 9, MODES: 10, CONTACT: 12};

Replay.bytes = text => {
  const raw = atob(text), out = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; ++i) out[i] = raw.charCodeAt(i);
  return out;
};

// Of a run: `table` (frames x COLUMNS), `pose` (frames x bodies x 7 whole numbers), `contact` (CONTACT numbers each: geoms, place in m,
// normal, force in N, mode) with those of frame f from first[f] to first[f + 1].
Replay.decode = (run, bodies, data) => {
  const bytes = Replay.bytes(run.motion), table = new Float64Array(Replay.bytes(run.numbers).buffer);
  const frames = table.length / Replay.COLUMNS, width = 7 * bodies;
  const pose = new Int32Array(frames * width), first = new Int32Array(frames + 1), contact = [];
  let at = 0, old = [];
  const number = () => {
    let value = 0, unit = 1, byte;
    do {
      byte = bytes[at++];
      value += (byte & 127) * unit;
      unit *= 128;
    } while (byte & 128);
    return value;
  };
  const signed = () => {
    const value = number();
    return value % 2 ? -(value + 1) / 2 : value / 2;
  };
  for (let f = 0; f < frames; ++f) {
    const flags = at;
    at += (bodies + 7) >> 3;
    for (let i = 0; i < bodies; ++i) {
      const departs = bytes[flags + (i >> 3)] >> (i & 7) & 1;
      for (let k = 0; k < 7; ++k) {
        const now = f * width + 7 * i + k;
        const told = f > 1 ? 2 * pose[now - width] - pose[now - 2 * width] : f > 0 ? pose[now - width] : 0;
        pose[now] = told + (departs ? signed() : 0);
      }
    }
    const count = number(), list = [];
    let linked = -1;
    for (let c = 0; c < count; ++c) {
      const head = number(), link = Math.floor(head / 4);
      const from = link ? old[linked += link] : [number(), number(), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
      const now = from.slice();
      for (let k = 2; k < 11; ++k) now[k] += signed();
      now[11] = head % 4;
      list.push(now);
      for (let k = 0; k < 12; ++k)
        contact.push(k < 2 || k > 10 ? now[k] : now[k] * (k < 5 ? run.length : k < 8 ? 1 / data.normal : run.force));
    }
    old = list;
    first[f + 1] = first[f] + count;
  }
  if (at !== bytes.length) throw new Error('the motion of ' + run.name + ' is damaged');
  return {name: run.name, law: run.law, quantum: run.length, frames, table, pose, first, contact: new Float32Array(contact), bodies};
};

// The last frame that is not later than `time`.
Replay.frameAt = (run, time) => {
  let low = 0, high = run.frames - 1;
  while (low < high) {
    const middle = low + high + 1 >> 1;
    if (run.table[middle * Replay.COLUMNS] <= time + 1e-9) low = middle;
    else high = middle - 1;
  }
  return low;
};

// Rotation matrix (by rows) and place of body number i in frame f: twelve numbers at `to` of `out`.
Replay.place = (run, f, i, turn, out, to) => {
  const p = (f * run.bodies + i) * 7, a = run.pose;
  let w = a[p + 3] / turn, x = a[p + 4] / turn, y = a[p + 5] / turn, z = a[p + 6] / turn;
  const s = 2 / (w * w + x * x + y * y + z * z || 1);
  out[to] = 1 - s * (y * y + z * z); out[to + 1] = s * (x * y - w * z); out[to + 2] = s * (x * z + w * y);
  out[to + 3] = a[p] * run.quantum;
  out[to + 4] = s * (x * y + w * z); out[to + 5] = 1 - s * (x * x + z * z); out[to + 6] = s * (y * z - w * x);
  out[to + 7] = a[p + 1] * run.quantum;
  out[to + 8] = s * (x * z - w * y); out[to + 9] = s * (y * z + w * x); out[to + 10] = 1 - s * (x * x + y * y);
  out[to + 11] = a[p + 2] * run.quantum;
};

// How far any body's origin is from where the same body is in another run, m.
Replay.apart = (a, fa, b, fb) => {
  let most = 0;
  for (let i = 0; i < a.bodies; ++i) {
    const p = (fa * a.bodies + i) * 7, q = (fb * b.bodies + i) * 7;
    let square = 0;
    for (let k = 0; k < 3; ++k) square += (a.pose[p + k] * a.quantum - b.pose[q + k] * b.quantum) ** 2;
    most = Math.max(most, square);
  }
  return Math.sqrt(most);
};
