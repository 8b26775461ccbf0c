// What happens in a page: curves are switched on and off, command lines are copied, plots zoom and tell values under one cursor
// that all plots with the same horizontal axis share. Without it the page shows the same plots, still. Lines that begin with
// two slashes, and indentation, do not come into the page.
(() => {
'use strict';
const all = (selector, root) => [...(root || document).querySelectorAll(selector)];

// --- legends and commands ---
all('.legend').slice(0, 1).forEach(legend => legend.insertAdjacentHTML('beforeend',
  '<span class="hint">point to single one out, click to hide it; over a plot: drag to zoom, Ctrl and wheel to zoom in time, ' +
  'double click to go back</span>'));
all('.legend label').forEach(label => {
  const plots = label.parentNode.nextElementSibling, box = label.querySelector('input');
  const mine = () => all('.s' + box.value, plots);
  box.onchange = () => mine().forEach(g => g.classList.toggle('off', !box.checked));
  label.onmouseenter = () => { plots.classList.add('one'); mine().forEach(g => g.classList.add('on')); };
  label.onmouseleave = () => { plots.classList.remove('one'); mine().forEach(g => g.classList.remove('on')); };
});
all('.cmd').forEach(line => {
  const done = () => { line.classList.add('done'); setTimeout(() => line.classList.remove('done'), 1500); };
  line.onclick = () => {
    getSelection().selectAllChildren(line);
    if (document.execCommand('copy')) done();
    else if (navigator.clipboard) navigator.clipboard.writeText(line.textContent).then(done);
  };
  line.onkeydown = e => { if (e.key === 'Enter') line.onclick(); };
});

// --- axes: kinds are 0 linear, 1 logarithmic, 2 logarithmic to both sides of zero, as in svg_internal.h ---
// Between a value and its pixel lies what is shown: the value in the axis's unit, or an exponent of ten.
const axis = (svg, name) => {
  const [kind, low, high, scale, floor, from, to] = svg.dataset[name].split(' ').map(Number);
  return {kind, low, high, scale, floor, from, to, home: [low, high], name: svg.dataset[name + 'Name'],
    unit: svg.dataset[name + 'Unit']};
};
const shown = (a, v) => a.kind === 0 ? v * a.scale : a.kind === 1 ? Math.log10(v > a.floor ? v : a.floor)
  : Math.abs(v) > a.floor ? Math.sign(v) * Math.log10(Math.abs(v) / a.floor) : 0;
const valued = (a, s) => a.kind === 0 ? s / a.scale : a.kind === 1 ? 10 ** s : s === 0 ? 0 : Math.sign(s) * a.floor * 10 ** Math.abs(s);
const pixel = (a, s, range) => { const [l, h] = range || [a.low, a.high]; return a.from + (s - l) / (h - l) * (a.to - a.from); };
const under = (a, px, range) => { const [l, h] = range || [a.low, a.high]; return l + (px - a.from) / (a.to - a.from) * (h - l); };
const place = (a, v) => Math.max(-1e5, Math.min(1e5, pixel(a, shown(a, v))));

const minus = text => text.replace(/-/g, '\u2212');
const power = k => '10' + [...String(k)].map(c => c === '-' ? '\u207b' : '\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079'[c]).join('');
const round = (x, digits) => { const t = x.toPrecision(digits); return t.includes('e') ? t.replace(/\.?0+e/, 'e') : t.includes('.') ? t.replace(/\.?0+$/, '') : t; };
// A value with its unit, to six digits.
const tell = (a, v) => {
  if (v === null || !Number.isFinite(v)) return '\u2013';
  const x = a.kind === 0 ? v * a.scale : v, unit = a.unit ? ' ' + a.unit : '';
  return minus(x !== 0 && (Math.abs(x) < 1e-4 || Math.abs(x) >= 1e7) ? x.toExponential(4) : round(x, 6)) + unit;
};
const steps = (low, high, most) => {
  const raw = (high - low) / Math.max(1, most), p = 10 ** Math.floor(Math.log10(raw)), part = raw / p;
  const step = p * (part <= 1 ? 1 : part <= 2 ? 2 : part <= 5 ? 5 : 10), ticks = [];
  const digits = Math.max(0, Math.min(20, Math.ceil(-Math.log10(step) - 1e-9)));
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; ++k) ticks.push([k * step, minus((k * step + 0).toFixed(digits))]);
  return ticks;
};
// Pairs of what is shown and its words.
const ticks = (a, gap) => {
  const most = Math.abs(a.to - a.from) / gap;
  if (a.kind === 0) return steps(a.low, a.high, most);
  const whole = [], step = Math.max(1, Math.ceil((a.high - a.low) * 26 / Math.abs(a.to - a.from)));
  for (let k = Math.ceil(a.low - 1e-9); k <= a.high + 1e-9; k += step)
    whole.push([k, a.kind === 1 ? power(k) : k === 0 ? '0' : (k < 0 ? '\u2212' : '') + power(Math.round(Math.log10(a.floor)) + Math.abs(k))]);
  if (whole.length > 2 || a.kind === 2) return whole;
  return steps(10 ** a.low, 10 ** a.high, most).filter(t => t[0] > 0).map(t => [Math.log10(t[0]), t[1]]);
};

// --- plots ---
const numbers = text => Array.from(new Float32Array(Uint8Array.from(atob(text.split(',')[1]), c => c.charCodeAt(0)).buffer));
const plots = all('svg.plot[data-kind]').map(svg => {
  const plot = {svg, kind: svg.dataset.kind, x: axis(svg, 'x'), y: axis(svg, 'y'), zoomed: false};
  plot.shares = plot.kind === 'course' || plot.kind === 'points' ? plot.x.name : plot.kind === 'path' ? 'time' : '';
  // The piece of a curve that its legend shows, where there is one.
  const legends = all('.legend').filter(l => l.nextElementSibling && l.nextElementSibling.contains(svg));
  const piece = g => { const label = legends.length && all('label', legends[0]).find(l => g.classList.contains('s' + l.firstElementChild.value)); return label && label.querySelector('svg'); };
  plot.curves = all('g[data-y]', svg).map(g => ({g, name: g.dataset.name || '', piece: piece(g)}));
  svg.classList.add('live');
  svg.tabIndex = 0;
  svg.insertAdjacentHTML('beforeend', '<g class="cursor"></g>');
  plot.cursor = svg.lastElementChild;
  return plot;
});
const load = plot => {
  if (plot.loaded) return plot.curves;
  plot.loaded = true;
  plot.curves.forEach(c => {
    const d = c.g.dataset;
    c.x = d.x.startsWith('base64') ? numbers(d.x) : plot.curves[+d.x].x;
    c.y = numbers(d.y);
    c.t = plot.kind === 'course' || plot.kind === 'points' ? c.x : d.t ? numbers(d.t) : null;
  });
  return plot.curves;
};
const seen = plot => { const box = plot.svg.getBoundingClientRect(); return box.bottom > 0 && box.top < innerHeight && box.width > 0; };
const visible = curve => !curve.g.classList.contains('off') && curve.x.length > 0;
const where = (plot, e) => {
  const box = plot.svg.getBoundingClientRect(), size = plot.svg.viewBox.baseVal.width / box.width;
  return [(e.clientX - box.left) * size, (e.clientY - box.top) * size];
};
const inside = (plot, [px, py]) => px >= plot.x.from && px <= plot.x.to &&
  py >= Math.min(plot.y.from, plot.y.to) && py <= Math.max(plot.y.from, plot.y.to);

// The sample next to a moment; of few measured points, in whatever order, the last one that is not beyond it. -1 outside of the curve.
const sample = (plot, curve, t) => {
  const list = curve.t;
  if (plot.kind === 'points') return list.reduce((best, at, i) => at <= t && Number.isFinite(curve.y[i]) && !(at < list[best]) ? i : best, -1);
  let low = 0, high = list.length - 1;
  while (low < high) { const middle = (low + high + 1) >> 1; if (list[middle] <= t) low = middle; else high = middle - 1; }
  const slack = Math.abs(list[list.length - 1] - list[0]) * 1e-3;
  if (t < list[0] - slack || t > list[list.length - 1] + slack) return -1;
  if (low + 1 < list.length && list[low + 1] - t < t - list[low]) ++low;
  return low;
};

// --- the cursor ---
const tip = document.createElement('div');
tip.className = 'tip';
tip.hidden = true;
document.body.append(tip);

const ink = curve => [...curve.g.classList].filter(c => /^k\d/.test(c) || c === 'cloud' || !/^[cs]\d*$/.test(c)).join(' ');
const dot = (plot, curve, i) => {
  const px = place(plot.x, curve.x[i]), py = place(plot.y, curve.y[i]);
  return Number.isFinite(py) && inside(plot, [px, py]) ? `<circle class="${ink(curve)}" cx="${px.toFixed(1)}" cy="${py.toFixed(1)}" r="3.6"/>` : '';
};
// Line and dots of a plot at a moment.
const point = (plot, t) => {
  let marks = '';
  const px = place(plot.x, t);
  if (plot.kind !== 'path' && px >= plot.x.from && px <= plot.x.to) marks = `<path d="M${px.toFixed(1)} ${plot.y.from}V${plot.y.to}"/>`;
  load(plot).filter(visible).forEach(c => { const i = sample(plot, c, t); if (i >= 0) marks += dot(plot, c, i); });
  plot.cursor.innerHTML = marks;
};
const clear = () => { plots.forEach(p => { if (!p.drag) p.cursor.textContent = ''; }); tip.hidden = true; };

// The point next to a pixel: [its distance, curve, index].
const nearest = (plot, [px, py]) => {
  let best = [Infinity, null, -1];
  load(plot).filter(visible).forEach(c => c.x.forEach((x, i) => {
    const away = Math.hypot(place(plot.x, x) - px, place(plot.y, c.y[i]) - py);
    if (away < best[0]) best = [away, c, i];
  }));
  return best;
};
const cell = words => { const td = document.createElement('td'); td.textContent = words; return td; };
const say = (plot, head, rows, e) => {
  const table = document.createElement('table');
  rows.forEach(([curve, ...words]) => {
    const tr = table.insertRow(), name = cell(curve.name), spot = curve.piece ? curve.piece.cloneNode(true) : document.createElement('i');
    if (!curve.piece) spot.className = ink(curve);
    name.prepend(spot);
    tr.append(name, ...words.map(cell));
  });
  tip.replaceChildren(head, table);
  tip.hidden = false;
  const box = tip.getBoundingClientRect(), right = e.clientX + 18;
  tip.style.left = Math.max(4, right + box.width > innerWidth ? e.clientX - 18 - box.width : right) + 'px';
  tip.style.top = Math.max(4, Math.min(e.clientY + 14, innerHeight - box.height - 4)) + 'px';
};
const hover = (plot, e) => {
  const at = where(plot, e);
  if (!inside(plot, at)) { clear(); return; }
  load(plot);
  let t = null;
  if (plot.kind === 'path' || plot.kind === 'cloud') {
    const [away, curve, i] = nearest(plot, at);
    clear();
    if (away > 30) return;
    if (plot.kind === 'cloud' || !curve.t) {
      plot.cursor.innerHTML = dot(plot, curve, i);
      say(plot, '', [[curve, tell(plot.x, curve.x[i]), tell(plot.y, curve.y[i])]], e);
      return;
    }
    t = curve.t[i];
  } else {
    t = valued(plot.x, under(plot.x, at[0]));
    // The moment is one that was recorded.
    const first = plot.curves.find(c => visible(c) && sample(plot, c, t) >= 0);
    if (first && plot.kind === 'course') t = first.t[sample(plot, first, t)];
    if (plot.kind === 'points') {
      const away = x => Math.abs(place(plot.x, x) - at[0]);
      t = plot.curves.filter(visible).flatMap(c => c.x).reduce((best, x) => away(x) < away(best) ? x : best);
    }
  }
  plots.forEach(p => { if (p.shares === plot.shares && (p === plot || seen(p))) point(p, t); else p.cursor.textContent = ''; });
  const rows = plot.curves.filter(visible).map(c => {
    const i = sample(plot, c, t), words = plot.kind === 'path' ? [tell(plot.x, i < 0 ? null : c.x[i])] : [];
    if (plot.kind === 'points' && i >= 0 && c.x[i] !== t) return [c, tell(plot.y, c.y[i]), `at ${tell(plot.x, c.x[i])}`];
    return [c, ...words, tell(plot.y, i < 0 ? null : c.y[i])];
  });
  const clock = plot.kind === 'path' ? {kind: 0, scale: 1, unit: 's'} : plot.x;
  say(plot, `${plot.kind === 'path' ? 'time' : plot.x.name}: ${tell(clock, t)}`, rows, e);
};

// --- zoom: everything is drawn anew from its numbers; marks move with where they were ---
const outline = (xs, ys, plot) => {
  let d = '', down = false;
  for (let i = 0; i < xs.length; ++i) {
    if (!Number.isFinite(ys[i]) || !Number.isFinite(xs[i])) { down = false; continue; }
    d += (down ? ' ' : 'M') + place(plot.x, xs[i]).toFixed(1) + ' ' + place(plot.y, ys[i]).toFixed(1);
    down = true;
  }
  return d;
};
// At the first zoom curves and marks move into a frame of their own, which cuts what leaves it.
const prepare = plot => {
  if (plot.frame) return;
  const {svg, x, y} = plot, top = Math.min(y.from, y.to), w = x.to - x.from, h = Math.abs(y.to - y.from);
  load(plot);
  plot.grid = svg.querySelector('.grid');
  plot.words = svg.querySelector('.tick');
  plot.still = [plot.grid.innerHTML, plot.words.innerHTML];
  const parts = [...svg.children].filter(e => e.matches('.c,.cloud,.guide,.start'));
  svg.insertAdjacentHTML('beforeend', `<svg x="${x.from}" y="${top}" width="${w}" height="${h}" viewBox="${x.from} ${top} ${w} ${h}"></svg>`);
  plot.frame = svg.lastElementChild;
  plot.frame.append(...parts);
  svg.append(plot.cursor);
  plot.marks = all('.m,.start', plot.frame).map(e => {
    const box = e.getBBox(), px = box.x + box.width / 2, py = box.y + box.height / 2;
    return {e, px, py, x: under(x, px, x.home), y: under(y, py, y.home)};
  });
  plot.lines = plot.curves.filter(c => c.g.querySelector('.l')).map(c => ({e: c.g.querySelector('.l'), x: c.x, y: c.y}));
  plot.guides = all('.guide', plot.frame).map(e => ({e, strokes: e.getAttribute('d').split('M').slice(1).map(stroke => {
    const n = stroke.trim().split(/\s+/).map(Number);
    return n.filter((_, i) => i % 2 === 0).map((px, i) => [under(x, px, x.home), under(y, n[2 * i + 1], y.home)]);
  })}));
  plot.lines.forEach(l => { l.still = l.e.getAttribute('d'); });
  plot.guides.forEach(g => { g.still = g.e.getAttribute('d'); });
  const button = document.createElement('button');
  button.className = 'back';
  button.textContent = 'whole plot';
  button.onclick = () => reset(plot);
  svg.parentNode.append(button);
  plot.button = button;
};
const draw = plot => {
  const {x, y} = plot, bottom = Math.max(y.from, y.to), top = Math.min(y.from, y.to);
  let grid = '', words = '';
  ticks(x, 56).forEach(([s, name]) => {
    const px = pixel(x, s).toFixed(1);
    grid += `<path d="M${px} ${top}V${bottom}"/>`;
    words += `<text x="${px}" y="${bottom + 19}" text-anchor="middle">${name}</text>`;
  });
  ticks(y, 34).forEach(([s, name]) => {
    const py = pixel(y, s);
    grid += `<path d="M${x.from} ${py.toFixed(1)}H${x.to}"/>`;
    words += `<text x="${x.from - 7}" y="${(py + 3.8).toFixed(1)}" text-anchor="end">${name}</text>`;
  });
  plot.grid.innerHTML = grid;
  plot.words.innerHTML = words;
  plot.lines.forEach(l => l.e.setAttribute('d', outline(l.x, l.y, plot)));
  plot.guides.forEach(g => g.e.setAttribute('d', g.strokes.map(s => s.map(([a, b], i) => (i ? ' ' : 'M') + pixel(x, a).toFixed(1) + ' ' + pixel(y, b).toFixed(1)).join('')).join('')));
  plot.marks.forEach(m => m.e.setAttribute('transform', `translate(${(pixel(x, m.x) - m.px).toFixed(1)} ${(pixel(y, m.y) - m.py).toFixed(1)})`));
};
const reset = plot => {
  if (!plot.zoomed) return;
  plot.zoomed = false;
  [plot.x.low, plot.x.high] = plot.x.home;
  [plot.y.low, plot.y.high] = plot.y.home;
  [plot.grid.innerHTML, plot.words.innerHTML] = plot.still;
  [...plot.lines, ...plot.guides].forEach(l => l.e.setAttribute('d', l.still));
  plot.marks.forEach(m => m.e.removeAttribute('transform'));
  plot.button.hidden = true;
  clear();
};
// A range within that of the whole plot, and no smaller than a millionth of it.
const narrow = (a, low, high) => {
  const [l, h] = a.home, least = 1e-6 * (h - l);
  low = Math.max(l, low);
  high = Math.min(h, high);
  if (high - low < least) return;
  [a.low, a.high] = [low, high];
};
const zoom = (plot, xs, ys) => {
  prepare(plot);
  narrow(plot.x, ...xs);
  if (ys) narrow(plot.y, ...ys);
  const whole = a => a.low <= a.home[0] && a.high >= a.home[1];
  if (whole(plot.x) && whole(plot.y)) { plot.zoomed = true; reset(plot); return; }
  plot.zoomed = true;
  plot.button.hidden = false;
  draw(plot);
};
// Around a pixel; a factor below one comes nearer.
const scale = (plot, px, factor) => {
  const s = under(plot.x, px);
  zoom(plot, [s + (plot.x.low - s) * factor, s + (plot.x.high - s) * factor]);
};
const sorted = (a, p, q) => [under(a, p), under(a, q)].sort((u, v) => u - v);

// --- what the user does ---
let dragged = null;
// A way that hardly leaves its row chooses times alone.
const box = (plot, [px, py]) => {
  const {x, y, drag: [ox, oy]} = plot, clip = (v, a) => Math.max(Math.min(a.from, a.to), Math.min(Math.max(a.from, a.to), v));
  const flat = Math.abs(py - oy) < 12;
  return {x: [clip(ox, x), clip(px, x)].sort((u, v) => u - v), y: flat ? [y.from, y.to].sort((u, v) => u - v) : [clip(oy, y), clip(py, y)].sort((u, v) => u - v), flat,
    far: Math.abs(px - ox) > 5 || !flat};
};
plots.forEach(plot => {
  const {svg} = plot;
  svg.addEventListener('pointermove', e => { if (!dragged) hover(plot, e); });
  svg.addEventListener('pointerleave', () => { if (!dragged) clear(); });
  svg.addEventListener('pointerdown', e => {
    if (e.pointerType === 'touch') hover(plot, e);
    if (e.button !== 0 || e.pointerType === 'touch') return;
    const at = where(plot, e);
    if (!inside(plot, at)) return;
    plot.drag = at;
    dragged = plot;
  });
  svg.addEventListener('dblclick', () => reset(plot));
  svg.addEventListener('wheel', e => {
    const at = where(plot, e);
    if (!(e.ctrlKey || e.metaKey || document.activeElement === svg) || !inside(plot, at)) return;
    e.preventDefault();
    scale(plot, at[0], 1.25 ** Math.sign(e.deltaY));
    hover(plot, e);
  }, {passive: false});
  svg.addEventListener('keydown', e => {
    const middle = (plot.x.from + plot.x.to) / 2, span = plot.x.high - plot.x.low;
    const move = sign => { const by = sign * 0.2 * span, [l, h] = plot.x.home, d = Math.max(l - plot.x.low, Math.min(h - plot.x.high, by)); zoom(plot, [plot.x.low + d, plot.x.high + d]); };
    const keys = {'+': () => scale(plot, middle, 0.8), '-': () => scale(plot, middle, 1.25), '0': () => reset(plot), Escape: () => reset(plot),
      ArrowLeft: () => move(-1), ArrowRight: () => move(1)};
    if (!keys[e.key] || e.ctrlKey || e.altKey || e.metaKey) return;
    e.preventDefault();
    keys[e.key]();
  });
});
addEventListener('pointermove', e => {
  if (!dragged) return;
  const b = box(dragged, where(dragged, e));
  tip.hidden = true;
  dragged.cursor.innerHTML = b.far ? `<rect x="${b.x[0]}" y="${b.y[0]}" width="${b.x[1] - b.x[0]}" height="${b.y[1] - b.y[0]}"/>` : '';
});
addEventListener('pointerup', e => {
  if (!dragged) return;
  const plot = dragged, b = box(plot, where(plot, e));
  dragged = null;
  if (b.far && b.x[1] - b.x[0] > 2 && b.y[1] - b.y[0] > 2)
    zoom(plot, sorted(plot.x, ...b.x), b.flat ? null : sorted(plot.y, ...b.y));
  plot.drag = null;
  plot.cursor.textContent = '';
});

// --- files: those in plots/ where they are; a page that came alone makes them of what it has ---
const quote = words => /[",\n]/.test(words) ? '"' + words.replace(/"/g, '""') + '"' : words;
const table = plot => {
  const title = plot.svg.closest('figure').querySelector('h3'), timed = plot.kind === 'path';
  const value = (a, v) => v === null || !Number.isFinite(v) ? '' : String(+(a.kind === 0 ? v * a.scale : v).toPrecision(7));
  const head = a => quote((a.name || (title ? title.textContent : 'value')) + (a.unit ? ` [${a.unit}]` : ''));
  const lines = [['curve', ...(timed ? ['time [s]'] : []), head(plot.x), head(plot.y)].join(',')];
  load(plot).forEach(c => c.x.forEach((x, i) => lines.push(
    [quote(c.name), ...(timed ? [c.t ? String(+c.t[i].toPrecision(7)) : ''] : []), value(plot.x, x), value(plot.y, c.y[i])].join(','))));
  return lines.join('\n') + '\n';
};
// As it is seen, with its curves named below.
const drawing = plot => {
  const {svg} = plot, copy = svg.cloneNode(true), view = svg.viewBox.baseVal, from = all('*', svg), to = all('*', copy);
  const looks = ['fill', 'fill-opacity', 'stroke', 'stroke-opacity', 'stroke-width', 'stroke-dasharray', 'opacity', 'display', 'font-family', 'font-size', 'font-weight'];
  from.forEach((e, i) => {
    const style = getComputedStyle(e);
    to[i].setAttribute('style', looks.map(l => `${l}:${style.getPropertyValue(l)}`).join(';'));
    Object.keys(to[i].dataset).forEach(k => delete to[i].dataset[k]);
  });
  Object.keys(copy.dataset).forEach(k => delete copy.dataset[k]);
  const named = plot.curves.filter(c => c.name && visible({...c, x: [0]})), title = svg.closest('figure').querySelector('h3');
  const text = (words, y, fill) => {
    const e = document.createElementNS(svg.namespaceURI, 'text');
    e.textContent = words;
    e.setAttribute('x', view.x + 10);
    e.setAttribute('y', y);
    e.setAttribute('style', `fill:${fill};font:12px sans-serif`);
    copy.append(e);
  };
  const ink = getComputedStyle(document.body);
  if (title) text(title.textContent, view.y - 6, ink.color);
  named.forEach((c, k) => { const mark = c.g.querySelector('.l,.m') || c.g; text(c.name, view.y + view.height + 16 * (k + 1), getComputedStyle(mark).stroke); });
  const high = view.height + 24 + 16 * named.length + 8;
  copy.setAttribute('viewBox', `${view.x} ${view.y - 24} ${view.width} ${high}`);
  copy.setAttribute('width', view.width);
  copy.setAttribute('height', high);
  copy.setAttribute('style', `background:${ink.backgroundColor}`);
  return new XMLSerializer().serializeToString(copy);
};
const alone = () => all('.files').forEach(files => {
  const plot = plots.find(p => files.closest('figure').contains(p.svg));
  all('a', files).forEach(a => {
    const make = {SVG: ['image/svg+xml', drawing], CSV: ['text/csv', table]}[a.textContent];
    if (!make || !plot) { a.remove(); return; }
    a.download = a.getAttribute('href').split('/').pop();
    a.title = 'made of what this page has: six digits';
    a.href = '#';
    a.onclick = () => { a.href = `data:${make[0]};charset=utf-8,` + encodeURIComponent(make[1](plot)); };
  });
});
all('.files a').slice(0, 1).forEach(a => {
  const probe = new Image();
  probe.onerror = alone;
  probe.src = a.getAttribute('href');
});
})();
