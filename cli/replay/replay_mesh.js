// Meshes: unit shapes, and those of the page. A mesh is {position, normal, lift, count} of triangles, three corners each; `lift` is by how much
// of a part's stretch a corner moves along z (capsules).
Replay.meshes = data => {
  const SEGMENTS = 40;
  const finish = (corners) => ({
    position: new Float32Array(corners.flatMap(c => c[0])),
    normal: new Float32Array(corners.flatMap(c => c[1])),
    lift: new Float32Array(corners.map(c => c[2] || 0)),
    count: corners.length
  });
  const quad = (out, a, b, c, d) => out.push(a, b, c, a, c, d);
  const around = k => [Math.cos(2 * Math.PI * k / SEGMENTS), Math.sin(2 * Math.PI * k / SEGMENTS)];
  const ball = stretched => {
    const out = [], rings = 20;
    const rows = [];
    for (let r = 0; r <= rings; ++r) {
      const polar = Math.PI * r / rings;
      if (r === rings / 2 && stretched) rows.push([polar, 1]);
      rows.push([polar, !stretched ? 0 : r < rings / 2 ? 1 : -1]);
    }
    const corner = (row, k) => {
      const [cx, cy] = around(k), s = Math.sin(row[0]), z = Math.cos(row[0]);
      return [[s * cx, s * cy, z], [s * cx, s * cy, z], row[1]];
    };
    for (let r = 0; r + 1 < rows.length; ++r)
      for (let k = 0; k < SEGMENTS; ++k)
        quad(out, corner(rows[r], k), corner(rows[r + 1], k), corner(rows[r + 1], k + 1), corner(rows[r], k + 1));
    return finish(out);
  };
  const disk = (out, z) => {
    for (let k = 0; k < SEGMENTS; ++k) {
      const a = around(z > 0 ? k : k + 1), b = around(z > 0 ? k + 1 : k), n = [0, 0, z];
      out.push([[0, 0, z], n], [[...a, z], n], [[...b, z], n]);
    }
  };
  const cylinder = () => {
    const out = [];
    for (let k = 0; k < SEGMENTS; ++k) {
      const a = around(k), b = around(k + 1), na = [...a, 0], nb = [...b, 0];
      quad(out, [[...a, -1], na], [[...b, -1], nb], [[...b, 1], nb], [[...a, 1], na]);
    }
    disk(out, 1);
    disk(out, -1);
    return finish(out);
  };
  const cone = () => {
    const out = [], h = Math.SQRT1_2;
    for (let k = 0; k < SEGMENTS; ++k) {
      const a = around(k), b = around(k + 1), t = around(k + 0.5);
      out.push([[...a, -1], [h * a[0], h * a[1], h]], [[...b, -1], [h * b[0], h * b[1], h]], [[0, 0, 1], [h * t[0], h * t[1], h]]);
    }
    disk(out, -1);
    return finish(out);
  };
  const square = () => {
    const out = [], n = [0, 0, 1];
    quad(out, [[-1, -1, 0], n], [[1, -1, 0], n], [[1, 1, 0], n], [[-1, 1, 0], n]);
    return finish(out);
  };
  const box = () => {
    const out = [];
    for (let axis = 0; axis < 3; ++axis)
      for (const side of [-1, 1]) {
        const n = [0, 0, 0];
        n[axis] = side;
        const at = (u, v) => {
          const p = [0, 0, 0];
          p[axis] = side;
          p[(axis + 1) % 3] = u * side;
          p[(axis + 2) % 3] = v;
          return [p, n];
        };
        quad(out, at(-1, -1), at(1, -1), at(1, 1), at(-1, 1));
      }
    return finish(out);
  };
  const minus = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
  const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
  const unit = a => {
    const n = Math.hypot(...a) || 1;
    return [a[0] / n, a[1] / n, a[2] / n];
  };
  // Where faces meet at less than thirty degrees the surface is round, else it has an edge.
  const polyhedron = (point, corner) => {
    const faces = [], around_point = new Map(), out = [];
    for (let t = 0; t + 2 < corner.length; t += 3) {
      const p = [0, 1, 2].map(k => point.subarray(3 * corner[t + k], 3 * corner[t + k] + 3));
      const n = cross(minus(p[1], p[0]), minus(p[2], p[0]));
      faces.push(n);
      for (let k = 0; k < 3; ++k) {
        const list = around_point.get(corner[t + k]);
        if (list) list.push(t / 3);
        else around_point.set(corner[t + k], [t / 3]);
      }
    }
    const units = faces.map(unit);
    for (let t = 0; t + 2 < corner.length; t += 3)
      for (let k = 0; k < 3; ++k) {
        const own = units[t / 3], sum = [0, 0, 0];
        for (const f of around_point.get(corner[t + k])) {
          const u = units[f];
          if (u[0] * own[0] + u[1] * own[1] + u[2] * own[2] < 0.866) continue;
          for (let j = 0; j < 3; ++j) sum[j] += faces[f][j];
        }
        const at = 3 * corner[t + k];
        out.push([[point[at], point[at + 1], point[at + 2]], unit(sum)]);
      }
    return finish(out);
  };
  const field = m => {
    const height = new Float32Array(Replay.bytes(m.heights).buffer), point = new Float32Array(3 * height.length), corner = [];
    for (let r = 0; r < m.rows; ++r)
      for (let c = 0; c < m.columns; ++c) {
        const i = r * m.columns + c;
        point.set([m.left + c * m.dx, m.front + r * m.dy, height[i]], 3 * i);
        if (r + 1 < m.rows && c + 1 < m.columns) corner.push(i, i + 1, i + m.columns + 1, i, i + m.columns + 1, i + m.columns);
      }
    return polyhedron(point, corner);
  };
  const kinds = {square, box, cylinder, cone, sphere: () => ball(false), capsule: () => ball(true)};
  const list = data.meshes.map(m => m.kind ? kinds[m.kind]() : m.heights ? field(m)
    : polyhedron(new Float32Array(Replay.bytes(m.points).buffer), new Uint32Array(Replay.bytes(m.corners).buffer)));
  const round = new Set(['sphere', 'capsule', 'cylinder', 'cone']);
  list.forEach((mesh, i) => {
    mesh.round = round.has(data.meshes[i].kind);
    mesh.reach = 0;
    for (let k = 0; k < mesh.position.length; k += 3)
      mesh.reach = Math.max(mesh.reach, Math.hypot(mesh.position[k], mesh.position[k + 1], mesh.position[k + 2]));
  });
  return list;
};
