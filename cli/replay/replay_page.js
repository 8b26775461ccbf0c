// The page: panes and their cameras, the clock, the timeline, keys, what the pointer tells, the ruler.
(() => {
  const INK = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#e69f00', '#56b4e9', '#9a8b00', '#7a5195', '#555f6b'];
  const data = JSON.parse(document.getElementById('data').textContent);
  const C = Replay.COLUMNS, root = document.documentElement, make = (tag, into, text) => {
    const e = document.createElement(tag);
    if (text !== undefined) e.textContent = text;
    if (into) into.append(e);
    return e;
  };
  const number = (x, digits = 3) => x === 0 ? '0' : Math.abs(x) >= 1e-3 && Math.abs(x) < 1e5 ? String(+x.toPrecision(digits))
    : x.toExponential(digits - 2).replace('e+', 'e');
  const length = x => x >= 1 ? number(x, 4) + ' m' : x >= 1e-3 ? number(1e3 * x, 4) + ' mm' : x >= 1e-8 ? number(1e6 * x, 3) + ' \u00b5m' : x > 0 ? number(x, 2) + ' m' : '0';

  // --- what is shown ---
  const runs = data.runs.map(run => Replay.decode(run, data.moving.length, data));
  const start = Math.min(...runs.map(r => r.table[0])), end = Math.max(...runs.map(r => r.table[(r.frames - 1) * C]));
  const index_of = new Map(data.moving.map((body, i) => [body, i]));
  const fixed = part => {
    const [x, y, z, w, a, b, c] = part.pose;
    return [1 - 2 * (b * b + c * c), 2 * (a * b - w * c), 2 * (a * c + w * b), x, 2 * (a * b + w * c), 1 - 2 * (a * a + c * c),
      2 * (b * c - w * a), y, 2 * (a * c - w * b), 2 * (b * c + w * a), 1 - 2 * (a * a + b * b), z];
  };
  const parts = data.parts.map(part => ({...part, own: fixed(part), moves: index_of.has(part.body), number: index_of.get(part.body)}));
  const times = (m, n) => {
    const out = new Array(12);
    for (let r = 0; r < 12; r += 4)
      for (let c = 0; c < 4; ++c) out[r + c] = m[r] * n[c] + m[r + 1] * n[4 + c] + m[r + 2] * n[8 + c] + (c === 3 ? m[r + 3] : 0);
    return out;
  };
  const scratch = new Float64Array(12);
  const matrix = (run, f, part) => {
    if (!part.moves) return part.own;
    Replay.place(run, f, part.number, data.turn, scratch, 0);
    return times(scratch, part.own);
  };
  const look = data.look || {};
  const state = {time: start, playing: false, speed: 1, loop: true, layout: runs.length > 1 && look.layout || 'panes', measure: false,
    theme: look.theme || null, show: look.show || {contacts: true, forces: true, glass: false, grid: true}};
  const apart = runs.map((run, r) => {
    if (r === 0) return null;
    const out = new Float64Array(run.frames);
    for (let f = 0; f < run.frames; ++f) out[f] = Replay.apart(run, f, runs[0], Replay.frameAt(runs[0], run.table[f * C]));
    return out;
  });

  // --- elements ---
  const header = make('header', document.body);
  make('h1', header, data.scene);
  make('span', header, `${runs.length} run${runs.length > 1 ? 's' : ''}, ${runs[0].frames} frames, Touchstone ${data.touchstone}`).className = 'note';
  if (data.note) make('span', header, data.note).className = 'note';
  if (data.command) {
    const code = make('code', header, data.command);
    code.title = 'a click copies the command that makes this page';
    code.onclick = () => navigator.clipboard && navigator.clipboard.writeText(data.command);
  }
  const stage = make('div', document.body), canvas = make('canvas', stage), ruler = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  stage.id = 'stage';
  canvas.tabIndex = 0;
  canvas.setAttribute('aria-label', 'the scene: drag to turn, right drag to move, wheel to zoom');
  ruler.setAttribute('class', 'ruler');
  stage.append(ruler);
  const measured = make('div', stage), tip = make('div', stage), help = make('div', stage);
  measured.className = 'length';
  tip.className = 'tip';
  help.id = 'help';
  measured.hidden = tip.hidden = help.hidden = true;
  const cards = runs.map((run, r) => {
    const pane = make('div', stage), card = make('div', pane);
    pane.className = 'pane';
    card.className = 'card';
    card.style.setProperty('--ink', INK[r]);
    return {pane, card};
  });
  const footer = make('footer', document.body), bar = make('div', footer), line = make('canvas', footer);
  bar.className = 'bar';
  line.id = 'time';
  line.setAttribute('aria-label', 'time: drag to scrub');
  const button = (text, title, act) => {
    const b = make('button', bar, text);
    b.title = title;
    b.onclick = () => { act(); canvas.focus({preventScroll: true}); };
    return b;
  };
  const meshes = Replay.meshes(data), renderer = Replay.renderer(canvas, data, meshes);
  if (!renderer) {
    stage.textContent = 'This browser has no WebGL 2, which the replay needs to draw.';
    stage.className = 'failure';
    return;
  }

  // --- camera: one for all panes ---
  const camera = {target: [0, 0, 0], distance: 3, azimuth: -Math.PI / 3, elevation: Math.PI / 9, fov: 36 * Math.PI / 180};
  camera.axes = () => {
    const c = Math.cos(camera.elevation), back = [c * Math.cos(camera.azimuth), c * Math.sin(camera.azimuth), Math.sin(camera.elevation)];
    const right = [-Math.sin(camera.azimuth), Math.cos(camera.azimuth), 0];
    return [right, [back[1] * right[2] - back[2] * right[1], back[2] * right[0] - back[0] * right[2], back[0] * right[1] - back[1] * right[0]], back];
  };
  const rectangles = () => {
    const w = stage.clientWidth, h = stage.clientHeight, n = state.layout === 'ghost' ? 1 : runs.length;
    let columns = 1, best = 0;
    for (let c = 1; c <= n; ++c) {
      const size = Math.min(w / c, 1.35 * h / Math.ceil(n / c));
      if (size > best * 1.02) { best = size; columns = c; }
    }
    const rows = Math.ceil(n / columns);
    return Array.from({length: n}, (_, i) => ({x: i % columns * w / columns, y: Math.floor(i / columns) * h / rows, width: w / columns, height: h / rows}));
  };
  const frame_all = () => {
    const {low, high} = data.sizes, at = rectangles()[0], axes = camera.axes(), tan = Math.tan(camera.fov / 2), aspect = at.width / at.height;
    camera.target = low.map((v, i) => (v + high[i]) / 2);
    camera.distance = 1e-4;
    // Room for the card at the top.
    const card = Math.min(0.3, 96 / at.height);
    for (let k = 0; k < 8; ++k) {
      const d = [0, 1, 2].map(i => (k >> i & 1 ? high[i] : low[i]) - camera.target[i]);
      const v = axes.map(a => a[0] * d[0] + a[1] * d[1] + a[2] * d[2]);
      camera.distance = Math.max(camera.distance, v[2] + 1.12 * Math.max(Math.abs(v[0]) / (tan * aspect), Math.abs(v[1]) / (tan * (1 - card))));
    }
    camera.target = camera.target.map((v, i) => v + axes[1][i] * camera.distance * tan * card);
  };

  // --- drawing ---
  let dirty = true;
  const touch = () => { dirty = true; };
  const rgb = hex => [1, 3, 5].map(i => parseInt(hex.slice(i, i + 2), 16) / 255);
  const scene = (r, look) => {
    const run = runs[r], frame = Replay.frameAt(run, state.time);
    return {parts, run, frame, look, matrix: part => matrix(run, frame, part)};
  };
  const theme = () => state.theme || (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light');
  const draw = () => {
    dirty = false;
    const ratio = Math.min(devicePixelRatio || 1, 2), w = Math.round(stage.clientWidth * ratio), h = Math.round(stage.clientHeight * ratio);
    if (canvas.width !== w || canvas.height !== h) { canvas.width = w; canvas.height = h; }
    root.classList.toggle('dark', theme() === 'dark');
    if (!(w > 0 && h > 0)) return;
    rectangles().forEach((at, i) => {
      const scenes = [scene(i, {glass: state.show.glass, ghost: false, tint: null})];
      if (state.layout === 'ghost') for (let r = 1; r < runs.length; ++r) scenes.push(scene(r, {ghost: true, tint: rgb(INK[r])}));
      renderer.draw({x: Math.round(at.x * ratio), y: Math.round((stage.clientHeight - at.y - at.height) * ratio), width: Math.round(at.width * ratio),
        height: Math.round(at.height * ratio), camera, scenes, show: state.show, theme: theme()});
    });
    write_cards();
    draw_ruler();
    draw_line();
    clock.textContent = `t = ${state.time.toFixed(4)} s`;
    play.textContent = state.playing ? '\u275a\u275a' : '\u25b6';
    play.setAttribute('aria-pressed', state.playing);
    for (const [b, on] of toggles) b.setAttribute('aria-pressed', on());
  };
  const write_cards = () => {
    const at = rectangles();
    runs.forEach((run, r) => {
      const {pane, card} = cards[r], f = Replay.frameAt(run, state.time), row = run.table.subarray(f * C, (f + 1) * C);
      const box = state.layout === 'ghost' ? at[0] : at[r];
      Object.assign(pane.style, {left: box.x + 'px', top: box.y + 'px', width: box.width + 'px', height: box.height + 'px',
        borderWidth: state.layout === 'ghost' ? 0 : `${box.y > 0 ? 1 : 0}px 0 0 ${box.x > 0 ? 1 : 0}px`});
      card.style.top = state.layout === 'ghost' ? 10 + 92 * r + 'px' : '';
      const status = ['converged', 'stalled', 'iteration limit', 'failed'][row[Replay.STATUS]];
      card.textContent = '';
      make('b', card, run.name);
      make('small', card, run.law);
      make('br', card);
      make('span', card, `own law ${number(row[Replay.OWN], 2)}`);
      make('span', card, `exact law ${number(row[Replay.EXACT], 2)}`).className = row[Replay.EXACT] > 1e-6 ? 'worse' : '';
      if (row[Replay.STATUS] > 0) make('span', card, status).className = 'worse';
      make('br', card);
      data.modes.forEach((mode, m) => {
        if (!row[Replay.MODES + m]) return;
        const span = make('span', card);
        make('i', span).style.background = `rgb(${mode.color.map(v => Math.round(255 * v))})`;
        span.append(`${row[Replay.MODES + m]} ${mode.name}`);
      });
      const kept = run.first[f + 1] - run.first[f];
      if (kept < row[Replay.CONTACTS]) make('span', card, `(${kept} drawn)`);
      if (!row[Replay.CONTACTS]) make('span', card, 'no contact');
      make('br', card);
      make('span', card, `energy ${number(row[Replay.KINETIC] + row[Replay.POTENTIAL], 4)} J`);
      if (row[Replay.DEEP] > 0) make('span', card, `overlap ${length(row[Replay.DEEP])}`);
      if (apart[r]) make('span', card, apart[r][f] > 2 * data.length_error ? `${length(apart[r][f])} from ${runs[0].name}` : `as ${runs[0].name}`);
      if (f === run.frames - 1 && state.time > row[0] + 1e-9) make('span', card, `ended at ${number(row[0], 4)} s`).className = 'worse';
    });
  };

  // --- timeline: the exact law's unmet share over time, a curve per run ---
  const plot = {left: 46, right: 12, top: 6, bottom: 18};
  const at_time = t => plot.left + (line.clientWidth - plot.left - plot.right) * (end > start ? (t - start) / (end - start) : 0);
  const time_at = x => start + (end - start) * Math.max(0, Math.min(1, (x - plot.left) / (line.clientWidth - plot.left - plot.right)));
  const draw_line = () => {
    const ratio = Math.min(devicePixelRatio || 1, 2), w = line.clientWidth, h = line.clientHeight, g = line.getContext('2d');
    if (!(w > 0)) return;
    const style = getComputedStyle(root), ink = name => style.getPropertyValue(name).trim();
    if (line.width !== Math.round(w * ratio)) line.width = Math.round(w * ratio);
    if (line.height !== Math.round(h * ratio)) line.height = Math.round(h * ratio);
    g.setTransform(ratio, 0, 0, ratio, 0, 0);
    g.fillStyle = ink('--page');
    g.fillRect(0, 0, w, h);
    const low = -16, high = 1, y = v => plot.top + (h - plot.top - plot.bottom) * (1 - (Math.max(low, Math.min(high, Math.log10(Math.max(v, 1e-300)))) - low) / (high - low));
    g.font = '11px system-ui, sans-serif';
    g.fillStyle = ink('--soft');
    g.strokeStyle = ink('--line');
    g.lineWidth = 1;
    g.textAlign = 'right';
    g.textBaseline = 'middle';
    for (const d of [-15, -10, -5, 0]) {
      g.beginPath();
      g.moveTo(plot.left, y(10 ** d));
      g.lineTo(w - plot.right, y(10 ** d));
      g.stroke();
      g.fillText(d ? '1e' + d : '1', plot.left - 5, y(10 ** d));
    }
    g.textAlign = 'center';
    g.textBaseline = 'alphabetic';
    const span = end - start || 1, step = [1, 2, 5, 10].map(k => k * 10 ** Math.floor(Math.log10(span / 8))).find(s => span / s <= 10);
    for (let t = Math.ceil(start / step) * step; t <= end + 1e-9; t += step) {
      g.fillText(number(+t.toFixed(9), 4) + ' s', at_time(t), h - 4);
      g.fillRect(at_time(t), h - plot.bottom, 1, 4);
    }
    g.textAlign = 'left';
    g.fillText('exact law unmet', plot.left + 4, plot.top + 9);
    runs.forEach((run, r) => {
      g.strokeStyle = INK[r];
      g.lineWidth = 1.5;
      g.beginPath();
      for (let f = 1; f < run.frames; ++f) g.lineTo(at_time(run.table[f * C]), y(run.table[f * C + Replay.EXACT]));
      g.stroke();
    });
    if (data.mark.time !== null) {
      g.strokeStyle = g.fillStyle = ink('--mark');
      g.lineWidth = 2;
      g.beginPath();
      g.moveTo(at_time(data.mark.time), plot.top);
      g.lineTo(at_time(data.mark.time), h - plot.bottom);
      g.stroke();
      const right = at_time(data.mark.time) > w / 2;
      g.textAlign = right ? 'right' : 'left';
      g.fillText(data.mark.text, at_time(data.mark.time) + (right ? -6 : 6), h - plot.bottom - 5);
    }
    g.fillStyle = ink('--accent');
    g.fillRect(at_time(state.time) - 1, 0, 2, h - plot.bottom + 4);
  };

  // --- the clock ---
  const seek = t => {
    state.time = Math.max(start, Math.min(end, t));
    touch();
  };
  const longest = runs.reduce((a, b) => a.frames >= b.frames ? a : b);
  const step = n => {
    state.playing = false;
    const f = Math.max(0, Math.min(longest.frames - 1, Replay.frameAt(longest, state.time) + n));
    seek(longest.table[f * C]);
  };
  const toggle_play = () => {
    if (!state.playing && state.time >= end) state.time = start;
    state.playing = !state.playing;
    touch();
  };
  let last = 0;
  const tick = now => {
    if (state.playing) {
      const next = state.time + Math.min(0.1, (now - last) / 1e3) * state.speed;
      if (next < end) seek(next);
      else if (state.loop && end > start) seek(start);
      else {
        seek(end);
        state.playing = false;
      }
    }
    last = now;
    if (dirty) draw();
    requestAnimationFrame(tick);
  };

  // --- what the pointer is over ---
  const ray = (px, py) => {
    const at = rectangles(), i = at.findIndex(r => px >= r.x && px < r.x + r.width && py >= r.y && py < r.y + r.height);
    if (i < 0) return null;
    const r = at[i], tan = Math.tan(camera.fov / 2), axes = camera.axes();
    const u = (2 * (px - r.x) / r.width - 1) * tan * r.width / r.height, v = (1 - 2 * (py - r.y) / r.height) * tan;
    const d = [0, 1, 2].map(k => axes[0][k] * u + axes[1][k] * v - axes[2][k]), n = Math.hypot(...d);
    return {pane: i, from: camera.target.map((t, k) => t + axes[2][k] * camera.distance), along: d.map(x => x / n)};
  };
  const project = (point, pane) => {
    const r = rectangles()[pane], axes = camera.axes(), d = point.map((v, k) => v - camera.target[k]), tan = Math.tan(camera.fov / 2);
    const v = axes.map(a => a[0] * d[0] + a[1] * d[1] + a[2] * d[2]), deep = camera.distance - v[2];
    if (!(deep > 0)) return null;
    return [r.x + r.width * (0.5 + 0.5 * v[0] / (deep * tan * r.width / r.height)), r.y + r.height * (0.5 - 0.5 * v[1] / (deep * tan))];
  };
  // Where a ray first meets a part: Moeller and Trumbore's test on the triangles of its mesh.
  const meet = (part, m, from, along, nearest) => {
    const mesh = meshes[part.mesh], s = part.scale, turn = v => [m[0] * v[0] + m[4] * v[1] + m[8] * v[2], m[1] * v[0] + m[5] * v[1] + m[9] * v[2], m[2] * v[0] + m[6] * v[1] + m[10] * v[2]];
    const o = turn([from[0] - m[3], from[1] - m[7], from[2] - m[11]]), d = turn(along);
    if (part.plane) {
      const t = -o[2] / d[2];
      return d[2] < 0 && t > 0 && t < nearest ? t : null;
    }
    const reach = mesh.reach * Math.max(s[0], s[1], s[2]) + s[3], b = o[0] * d[0] + o[1] * d[1] + o[2] * d[2];
    if (o[0] * o[0] + o[1] * o[1] + o[2] * o[2] - b * b > reach * reach) return null;
    let best = null;
    const P = mesh.position, corner = (k, out) => {
      out[0] = P[k] * s[0];
      out[1] = P[k + 1] * s[1];
      out[2] = P[k + 2] * s[2] + mesh.lift[k / 3] * s[3];
    };
    const a = [0, 0, 0], e = [0, 0, 0], g = [0, 0, 0];
    for (let k = 0; k < P.length; k += 9) {
      corner(k, a);
      corner(k + 3, e);
      corner(k + 6, g);
      for (let i = 0; i < 3; ++i) { e[i] -= a[i]; g[i] -= a[i]; }
      const px = d[1] * g[2] - d[2] * g[1], py = d[2] * g[0] - d[0] * g[2], pz = d[0] * g[1] - d[1] * g[0];
      const det = e[0] * px + e[1] * py + e[2] * pz;
      if (det === 0) continue;
      const tx = o[0] - a[0], ty = o[1] - a[1], tz = o[2] - a[2], u = (tx * px + ty * py + tz * pz) / det;
      if (u < 0 || u > 1) continue;
      const qx = ty * e[2] - tz * e[1], qy = tz * e[0] - tx * e[2], qz = tx * e[1] - ty * e[0];
      const v = (d[0] * qx + d[1] * qy + d[2] * qz) / det, t = (g[0] * qx + g[1] * qy + g[2] * qz) / det;
      if (v >= 0 && u + v <= 1 && t > 0 && t < nearest) best = nearest = t;
    }
    return best;
  };
  const pick = (px, py) => {
    const r = ray(px, py);
    if (!r) return null;
    const run = runs[r.pane], f = Replay.frameAt(run, state.time);
    let found = null, nearest = Infinity;
    for (const part of parts) {
      const m = matrix(run, f, part), t = meet(part, m, r.from, r.along, nearest);
      if (t === null) continue;
      nearest = t;
      found = part;
    }
    return found && {pane: r.pane, part: found, point: r.from.map((v, k) => v + nearest * r.along[k])};
  };
  const body_name = geom => {
    const g = data.geoms[geom];
    return data.bodies[g.body] || (g.body === 0 ? g.name || 'the world' : 'body' + g.body);
  };
  const contact_at = (px, py) => {
    const r = ray(px, py);
    if (!r || !state.show.contacts) return null;
    const run = runs[r.pane], f = Replay.frameAt(run, state.time), c = run.contact;
    let best = 11, found = null;
    for (let i = run.first[f]; i < run.first[f + 1]; ++i) {
      const k = Replay.CONTACT * i, p = project([c[k + 2], c[k + 3], c[k + 4]], r.pane), off = p ? Math.hypot(p[0] - px, p[1] - py) : best;
      if (off >= best) continue;
      best = off;
      found = c.subarray(k, k + Replay.CONTACT);
    }
    return found;
  };
  const tell = (px, py) => {
    const c = contact_at(px, py), hit = c ? null : pick(px, py);
    tip.hidden = !c && !hit;
    if (tip.hidden) return;
    tip.textContent = '';
    if (c) {
      const n = (c[5] * c[8] + c[6] * c[9] + c[7] * c[10]) / (Math.hypot(c[5], c[6], c[7]) || 1), all = Math.hypot(c[8], c[9], c[10]);
      make('b', tip, `${body_name(c[0])} \u2013 ${body_name(c[1])}`);
      make('br', tip);
      tip.append(`${data.modes[c[11]].name}; force ${number(n)} N normal, ${number(Math.sqrt(Math.max(0, all * all - n * n)))} N friction`);
    } else {
      const g = data.geoms[hit.part.geom];
      make('b', tip, body_name(hit.part.geom));
      tip.append(` ${g.kind}${g.name && g.body ? ' \u201c' + g.name + '\u201d' : ''}`);
      make('br', tip);
      tip.append(hit.point.map(v => number(v, 4)).join(', ') + ' m');
    }
    tip.style.left = Math.min(px + 14, stage.clientWidth - 250) + 'px';
    tip.style.top = Math.max(4, Math.min(py + 14, stage.clientHeight - 60)) + 'px';
  };

  // --- ruler: two points that stay on what they were put on ---
  const ends = [];
  const put_end = hit => {
    if (ends.length === 2) ends.length = 0;
    const m = matrix(runs[hit.pane], Replay.frameAt(runs[hit.pane], state.time), hit.part), d = [0, 1, 2].map(k => hit.point[k] - m[4 * k + 3]);
    ends.push({pane: hit.pane, part: hit.part, local: [0, 1, 2].map(k => m[k] * d[0] + m[4 + k] * d[1] + m[8 + k] * d[2])});
    touch();
  };
  const end_point = e => {
    const run = runs[e.pane], m = matrix(run, Replay.frameAt(run, state.time), e.part);
    return [0, 1, 2].map(k => m[4 * k + 3] + m[4 * k] * e.local[0] + m[4 * k + 1] * e.local[1] + m[4 * k + 2] * e.local[2]);
  };
  const ruler_length = () => ends.length < 2 ? null : Math.hypot(...[0, 1, 2].map(k => end_point(ends[0])[k] - end_point(ends[1])[k]));
  const draw_ruler = () => {
    ruler.textContent = '';
    measured.hidden = true;
    const seen = ends.map(e => state.layout === 'ghost' && e.pane ? null : project(end_point(e), e.pane)).filter(Boolean);
    const add = (tag, values) => {
      const e = document.createElementNS('http://www.w3.org/2000/svg', tag);
      for (const k in values) e.setAttribute(k, values[k]);
      ruler.append(e);
    };
    if (seen.length === 2) add('line', {x1: seen[0][0], y1: seen[0][1], x2: seen[1][0], y2: seen[1][1]});
    for (const p of seen) add('circle', {cx: p[0], cy: p[1], r: 4.5});
    if (seen.length < 2) return;
    measured.hidden = false;
    measured.textContent = length(ruler_length());
    measured.style.left = (seen[0][0] + seen[1][0]) / 2 + 'px';
    measured.style.top = (seen[0][1] + seen[1][1]) / 2 + 'px';
  };

  // --- controls ---
  button('|\u25c0', 'back to the start (Home)', () => seek(start));
  button('\u2190', 'one frame back (left arrow)', () => step(-1));
  const play = button('\u25b6', 'play, pause (space)', toggle_play);
  button('\u2192', 'one frame on (right arrow)', () => step(1));
  const clock = make('output', bar), speed = make('select', bar);
  for (const s of [0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2, 4]) make('option', speed, `${s}\u00d7`).value = s;
  speed.title = 'speed (+ and -)';
  speed.onchange = () => { state.speed = +speed.value; };
  // A run of a few hundredths of a second would be over before it is seen.
  state.speed = end - start < 0.3 ? 0.05 : end - start < 1 ? 0.25 : 1;
  speed.value = state.speed;
  const faster = n => {
    speed.selectedIndex = Math.max(0, Math.min(speed.options.length - 1, speed.selectedIndex + n));
    state.speed = +speed.value;
  };
  const toggles = [], toggle = (text, title, on, act) => toggles.push([button(text, title, () => { act(); touch(); }), on]);
  const flip = name => () => { state.show[name] = !state.show[name]; };
  if (data.mark.time !== null) button('first difference', data.mark.text + ' (M)', () => { state.playing = false; seek(data.mark.time); });
  make('span', bar).className = 'gap';
  toggle('contacts', 'disks of contacts (C)', () => state.show.contacts, flip('contacts'));
  toggle('forces', 'arrows of forces (F)', () => state.show.forces, flip('forces'));
  toggle('glass', 'see-through bodies (T)', () => state.show.glass, flip('glass'));
  toggle('grid', 'lines on floors (G)', () => state.show.grid, flip('grid'));
  const set_layout = () => { state.layout = state.layout === 'panes' ? 'ghost' : 'panes'; };
  if (runs.length > 1) toggle('overlaid', 'all runs in one picture, or side by side (O)', () => state.layout === 'ghost', set_layout);
  const set_measure = () => {
    state.measure = !state.measure;
    canvas.className = state.measure ? 'measure' : '';
    if (!state.measure) ends.length = 0;
  };
  toggle('ruler', 'two clicks measure a distance (D)', () => state.measure, set_measure);
  toggle('loop', 'begin again at the end (L)', () => state.loop, () => { state.loop = !state.loop; });
  button('\u25d0', 'light or dark (N)', () => { state.theme = theme() === 'dark' ? 'light' : 'dark'; touch(); });
  const set_help = () => { help.hidden = !help.hidden; };
  button('?', 'keys (H)', set_help);
  const keys = {' ': toggle_play, Home: () => seek(start), End: () => seek(end), ArrowLeft: e => step(e.shiftKey ? -10 : -1), F1: set_help,
    ArrowRight: e => step(e.shiftKey ? 10 : 1), '+': () => faster(1), '=': () => faster(1), '-': () => faster(-1), c: flip('contacts'),
    f: flip('forces'), t: flip('glass'), g: flip('grid'), o: () => runs.length > 1 && set_layout(), d: set_measure, l: () => { state.loop = !state.loop; },
    n: () => { state.theme = theme() === 'dark' ? 'light' : 'dark'; }, h: set_help, a: frame_all, r: () => seek(start),
    m: () => data.mark.time !== null && seek(data.mark.time), Escape: () => { help.hidden = true; ends.length = 0; }};
  const rows = [['space', 'play, pause'], ['\u2190 \u2192', 'a frame back, on; with shift ten'], ['Home, End', 'start, end'], ['+ -', 'faster, slower'],
    ['left drag', 'turn'], ['right or shift drag', 'move'], ['wheel, pinch', 'zoom'], ['A, double click', 'see everything'], ['C F T G', 'contacts, forces, glass, grid'],
    ['O', 'overlaid or side by side'], ['D', 'ruler: two clicks'], ['M', 'to the first difference'], ['L N H', 'loop, light or dark, this']];
  const table = make('table', help);
  for (const [k, what] of rows) {
    const tr = make('tr', table);
    make('kbd', make('td', tr), k);
    make('td', tr, what);
  }
  make('p', help, `Places are exact to ${length(data.length_error)}, orientations to ${number(data.turn_error * 180 / Math.PI, 2)}\u00b0; of a frame the ` +
    `${data.contacts_at_most} contacts that matter most are drawn, counts are of all. An arrow is the force on the body that moves, of two that move on the second. Colours: green sticks, orange ` +
    `slides, grey is open, red breaks the exact law.`);
  addEventListener('keydown', e => {
    if (e.ctrlKey || e.metaKey || e.altKey || e.target.tagName === 'SELECT') return;
    const act = keys[e.key] || keys[e.key.toLowerCase()];
    if (!act) return;
    if (e.key === ' ' && e.target.tagName === 'BUTTON') return;
    act(e);
    touch();
    e.preventDefault();
  });

  // --- pointers ---
  const pointers = new Map();
  let moved = 0;
  const turn = (dx, dy) => {
    const per = Math.PI / rectangles()[0].height, limit = 89 * Math.PI / 180;
    camera.azimuth -= dx * per;
    camera.elevation = Math.max(-limit, Math.min(limit, camera.elevation + dy * per));
  };
  const pan = (dx, dy) => {
    const per = 2 * camera.distance * Math.tan(camera.fov / 2) / rectangles()[0].height, axes = camera.axes();
    camera.target = camera.target.map((v, k) => v - dx * per * axes[0][k] + dy * per * axes[1][k]);
  };
  const zoom = factor => { camera.distance = Math.max(1e-4, Math.min(1e6, camera.distance * factor)); };
  canvas.addEventListener('pointerdown', e => {
    try { canvas.setPointerCapture(e.pointerId); } catch (_) { /* a pointer that a script made */ }
    pointers.set(e.pointerId, [e.offsetX, e.offsetY]);
    moved = 0;
    tip.hidden = true;
  });
  canvas.addEventListener('pointermove', e => {
    const old = pointers.get(e.pointerId);
    if (!old) {
      if (e.pointerType !== 'touch') tell(e.offsetX, e.offsetY);
      return;
    }
    const dx = e.offsetX - old[0], dy = e.offsetY - old[1];
    moved += Math.abs(dx) + Math.abs(dy);
    if (pointers.size === 2) {
      const other = [...pointers].find(([id]) => id !== e.pointerId)[1];
      zoom(Math.hypot(old[0] - other[0], old[1] - other[1]) / Math.max(1, Math.hypot(e.offsetX - other[0], e.offsetY - other[1])));
      pan(dx / 2, dy / 2);
    } else if (e.buttons & 2 || e.buttons & 4 || e.shiftKey) pan(dx, dy);
    else turn(dx, dy);
    pointers.set(e.pointerId, [e.offsetX, e.offsetY]);
    touch();
  });
  const lift = e => {
    if (pointers.delete(e.pointerId) && moved < 4 && e.type === 'pointerup' && state.measure) {
      const hit = pick(e.offsetX, e.offsetY);
      if (hit) put_end(hit);
    }
  };
  canvas.addEventListener('pointerup', lift);
  canvas.addEventListener('pointercancel', lift);
  canvas.addEventListener('pointerleave', () => { tip.hidden = true; });
  canvas.addEventListener('contextmenu', e => e.preventDefault());
  canvas.addEventListener('dblclick', () => { if (!state.measure) { frame_all(); touch(); } });
  canvas.addEventListener('wheel', e => {
    zoom(Math.exp(Math.max(-1, Math.min(1, e.deltaY * (e.deltaMode ? 0.05 : 0.0015)))));
    touch();
    e.preventDefault();
  }, {passive: false});
  let scrubbing = false;
  const scrub = e => seek(time_at(e.offsetX));
  line.addEventListener('pointerdown', e => {
    scrubbing = true;
    state.playing = false;
    try { line.setPointerCapture(e.pointerId); } catch (_) { /* likewise */ }
    scrub(e);
  });
  line.addEventListener('pointermove', e => { if (scrubbing) scrub(e); });
  for (const type of ['pointerup', 'pointercancel']) line.addEventListener(type, () => { scrubbing = false; });
  addEventListener('resize', touch);
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', touch);

  // For scripts: what is shown, in numbers.
  window.replay = {data, runs, state, camera, renderer, start, end, seek, step, draw, pick, project, frame_all,
    frame: r => Replay.frameAt(runs[r], state.time), put_end, ruler_length,
    pose: (r, body) => {
      const run = runs[r], at = (Replay.frameAt(run, state.time) * run.bodies + index_of.get(body)) * 7;
      return [...run.pose.subarray(at, at + 7)].map((v, k) => k < 3 ? v * run.quantum : v / data.turn);
    },
    pixels: (x, y, w, h) => {
      const out = new Uint8Array(4 * w * h);
      renderer.gl.readPixels(x, y, w, h, renderer.gl.RGBA, renderer.gl.UNSIGNED_BYTE, out);
      return out;
    }};
  const wanted = /[#&]t=([0-9.eE+-]+)/.exec(location.hash);
  if (wanted) seek(+wanted[1]);
  else state.playing = end > start;
  if ('azimuth' in look) Object.assign(camera, {azimuth: look.azimuth, elevation: look.elevation});
  frame_all();
  if (look.distance > 0) Object.assign(camera, {distance: look.distance, target: look.target});
  draw();
  requestAnimationFrame(now => { last = now; tick(now); });
})();
