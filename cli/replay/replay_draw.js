// Drawing by WebGL 2: instanced meshes, a floor with grid lines, flat shadows on it, outlines, marks of contacts. Places are made relative to
// the camera's target in double before they become floats.
Replay.SUN = [-0.440, -0.369, 0.819];

Replay.shaders = {
  vertex: `#version 300 es
layout(location=0) in vec3 position;
layout(location=1) in vec3 normal;
layout(location=2) in float lift;
layout(location=3) in vec4 row0;
layout(location=4) in vec4 row1;
layout(location=5) in vec4 row2;
layout(location=6) in vec4 scale;
layout(location=7) in vec4 tint;
layout(location=8) in vec4 extra;
uniform mat4 project;
uniform highp vec3 eye, sun;
uniform vec4 ground;
uniform highp int pass;
uniform float thick;
out vec3 world, facing, local, flat_place;
out vec4 color, kind;
void main() {
  vec3 at = position * scale.xyz + vec3(0, 0, lift * scale.w);
  vec3 n = normalize(normal / max(abs(scale.xyz), vec3(1e-9)));
  mat3 turn = transpose(mat3(row0.xyz, row1.xyz, row2.xyz));
  world = turn * at + vec3(row0.w, row1.w, row2.w);
  if (pass == 2) world += turn * normalize(at + n * 1e-6) * thick * length(eye - world);
  if (pass == 1) {
    float above = dot(ground.xyz, world) + ground.w;
    world -= sun * (above / max(dot(ground.xyz, sun), 0.05));
  }
  facing = turn * n;
  local = position;
  flat_place = at;
  color = tint;
  kind = extra;
  gl_Position = project * vec4(world, 1);
}`,
  fragment: `#version 300 es
precision highp float;
in vec3 world, facing, local, flat_place;
in vec4 color, kind;
uniform highp vec3 eye, sun, sky, ink;
uniform highp int pass;
uniform float dark, reach, veil;
out vec4 result;
float lines(vec2 at, float cell) {
  vec2 x = at / cell, width = fwidth(x), near = abs(fract(x - 0.5) - 0.5) / max(width, vec2(1e-6));
  vec2 line = (1.0 - min(near, 1.0)) * clamp(1.0 - 2.0 * width, 0.0, 1.0);
  return max(line.x, line.y);
}
void main() {
  if (pass == 1) { result = vec4(0, 0, 0, mix(0.20, 0.45, dark)); return; }
  if (pass == 2) { result = vec4(kind.w > 0.5 ? color.rgb : ink, color.a); return; }
  vec3 n = normalize(facing), look = normalize(eye - world);
  if (pass == 3) {
    vec2 at = flat_place.xy + kind.xy;
    float far = 1.0 - smoothstep(0.25, 1.0, length(flat_place.xy) / reach);
    vec3 base = mix(color.rgb, color.rgb * 0.24, dark);
    float strength = kind.w > 0.5 ? max(0.22 * lines(at, kind.z), 0.5 * lines(at, 10.0 * kind.z)) : 0.0;
    base = mix(base, mix(vec3(0.30, 0.34, 0.40), vec3(0.62, 0.67, 0.74), dark), strength);
    result = vec4(mix(sky, base, far), dot(n, look) > 0.0 ? color.a : 0.25);
    return;
  }
  vec3 base = color.rgb;
  if (kind.x > 0.5 && local.x * local.y * local.z > 0.0) base *= 0.72;
  if (dot(n, look) < 0.0) n = -n;
  float light = max(dot(n, sun), 0.0), up = 0.5 + 0.5 * n.z, rim = pow(1.0 - max(dot(n, look), 0.0), 3.0);
  vec3 lit = base * (0.30 + 0.26 * up + 0.56 * light) + vec3(0.10 * rim);
  float shine = pow(max(dot(reflect(-sun, n), look), 0.0), 28.0);
  lit += vec3(0.10 * shine);
  result = vec4(mix(lit, base * (0.82 + 0.18 * up), kind.y), color.a * veil);
}`
};

Replay.renderer = (canvas, data, meshes) => {
  const gl = canvas.getContext('webgl2', {antialias: true, alpha: false, stencil: true, preserveDrawingBuffer: true});
  if (!gl) return null;
  const FLOATS = 24, program = gl.createProgram();
  for (const [type, text] of [[gl.VERTEX_SHADER, Replay.shaders.vertex], [gl.FRAGMENT_SHADER, Replay.shaders.fragment]]) {
    const shader = gl.createShader(type);
    gl.shaderSource(shader, text);
    gl.compileShader(shader);
    if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) throw new Error(gl.getShaderInfoLog(shader));
    gl.attachShader(program, shader);
  }
  gl.linkProgram(program);
  if (!gl.getProgramParameter(program, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(program));
  gl.useProgram(program);
  const uniform = {};
  for (const name of ['project', 'eye', 'sun', 'ground', 'pass', 'thick', 'sky', 'ink', 'dark', 'reach', 'veil'])
    uniform[name] = gl.getUniformLocation(program, name);
  const instances = gl.createBuffer();
  for (const mesh of meshes) {
    mesh.array = gl.createVertexArray();
    gl.bindVertexArray(mesh.array);
    [mesh.position, mesh.normal, mesh.lift].forEach((values, i) => {
      gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
      gl.bufferData(gl.ARRAY_BUFFER, values, gl.STATIC_DRAW);
      gl.enableVertexAttribArray(i);
      gl.vertexAttribPointer(i, i < 2 ? 3 : 1, gl.FLOAT, false, 0, 0);
    });
    gl.bindBuffer(gl.ARRAY_BUFFER, instances);
    for (let i = 0; i < 6; ++i) {
      gl.enableVertexAttribArray(3 + i);
      gl.vertexAttribPointer(3 + i, 4, gl.FLOAT, false, 4 * FLOATS, 16 * i);
      gl.vertexAttribDivisor(3 + i, 1);
    }
  }
  const numbers = data.meshes.map(m => m.kind);
  const unit = {cylinder: numbers.indexOf('cylinder'), cone: numbers.indexOf('cone'), square: numbers.indexOf('square')};
  let calls = 0;

  const batch = (mesh, list) => {
    if (!list.length) return;
    gl.bindVertexArray(meshes[mesh].array);
    gl.bindBuffer(gl.ARRAY_BUFFER, instances);
    gl.bufferData(gl.ARRAY_BUFFER, list instanceof Float32Array ? list : new Float32Array(list), gl.STREAM_DRAW);
    gl.drawArraysInstanced(gl.TRIANGLES, 0, meshes[mesh].count, list.length / FLOATS);
    ++calls;
  };
  const batches = groups => groups.forEach((list, mesh) => batch(mesh, list));

  // Instances of a run's parts by mesh, planes apart.
  const gather = (scene, origin, look) => {
    const groups = new Map(), glass = new Map(), planes = [];
    scene.parts.forEach(part => {
      const m = scene.matrix(part), row = [m[0], m[1], m[2], m[3] - origin[0], m[4], m[5], m[6], m[7] - origin[1], m[8], m[9], m[10],
        m[11] - origin[2]];
      if (part.plane) {
        if (!look.ghost) planes.push({part, row, matrix: m});
        return;
      }
      if (look.ghost && !part.moves) return;
      const color = look.tint && part.moves ? [...look.tint, part.color[3]] : part.color.slice();
      if (look.ghost) color[3] = 0.28;
      else if (look.glass && part.moves) color[3] *= 0.35;
      const to = color[3] < 0.995 ? glass : groups;
      if (!to.has(part.mesh)) to.set(part.mesh, []);
      to.get(part.mesh).push(...row, ...part.scale, ...color, meshes[part.mesh].round && part.moves ? 1 : 0, 0, 0, look.tint ? 1 : 0);
    });
    return {groups, glass, planes};
  };

  // A plane that faces up is endless, and its grid stays where it is; one on end is a veil over what the scene takes of it.
  const draw_planes = (planes, view, origin, distance) => {
    const extent = 60 * Math.max(distance, data.sizes.radius), cell = data.sizes.grid;
    gl.uniform1f(uniform.reach, Math.min(extent, 14 * Math.max(distance, data.sizes.radius)));
    for (const {part, row, matrix: m} of planes) {
      const d = [0, 1, 2].map(i => origin[i] - m[4 * i + 3]);
      const x = d[0] * m[0] + d[1] * m[4] + d[2] * m[8], y = d[0] * m[1] + d[1] * m[5] + d[2] * m[9];
      const shift = row.slice();
      for (let i = 0; i < 3; ++i) shift[4 * i + 3] += m[4 * i] * x + m[4 * i + 1] * y;
      const upright = m[10] > 0.5, size = upright ? extent : data.sizes.radius;
      const color = part.color.slice();
      if (!upright) color[3] = 0.10;
      const period = 100 * cell;
      gl.uniform1i(uniform.pass, upright ? 3 : 0);
      batch(unit.square, [...shift, size, size, 1, 0, ...color, x % period, y % period, cell, view.show.grid ? 1 : 0]);
    }
  };

  const frame_of = n => {
    const a = Math.abs(n[0]) < 0.7 ? [1, 0, 0] : [0, 1, 0], dot = a[0] * n[0] + a[1] * n[1] + a[2] * n[2];
    let x = [a[0] - dot * n[0], a[1] - dot * n[1], a[2] - dot * n[2]];
    const l = Math.hypot(...x);
    x = x.map(v => v / l);
    const y = [n[1] * x[2] - n[2] * x[1], n[2] * x[0] - n[0] * x[2], n[0] * x[1] - n[1] * x[0]];
    return [x, y, n];
  };
  const placed = (axes, at, scale, color) => [axes[0][0], axes[1][0], axes[2][0], at[0], axes[0][1], axes[1][1], axes[2][1], at[1],
    axes[0][2], axes[1][2], axes[2][2], at[2], ...scale, 0, ...color, 0, 1, 0, 0];

  // Disks in the colour of what each contact does, and forces on the second body; in a crowd small forces fade.
  const marks = (run, f, origin, show) => {
    const disks = [], shafts = [], heads = [], s = data.sizes, size = 0.07 * s.body, c = run.contact, W = Replay.CONTACT;
    let most = 0;
    for (let i = run.first[f]; i < run.first[f + 1]; ++i) most = Math.max(most, Math.hypot(c[W * i + 8], c[W * i + 9], c[W * i + 10]));
    const crowd = run.first[f + 1] - run.first[f] > 60;
    for (let i = run.first[f]; i < run.first[f + 1]; ++i) {
      const k = W * i, at = [c[k + 2] - origin[0], c[k + 3] - origin[1], c[k + 4] - origin[2]];
      const n = [c[k + 5], c[k + 6], c[k + 7]], length = Math.hypot(...n) || 1, color = data.modes[c[k + 11]].color;
      if (show.contacts) disks.push(...placed(frame_of(n.map(v => v / length)), at, [size, size, 0.22 * size], [...color, 1]));
      const force = [c[k + 8], c[k + 9], c[k + 10]], size_of_force = Math.hypot(...force);
      const long = Math.min(size_of_force * s.metres_per_newton, s.longest_arrow), r = 0.26 * size;
      if (!show.forces || !(long > 1e-3 * size)) continue;
      const along = force.map(v => v / size_of_force), axes = frame_of(along), head = Math.min(4 * r, 0.6 * long), shaft = long - head;
      const alpha = crowd ? Math.max(0.12, Math.sqrt(size_of_force / most)) : 1;
      shafts.push(...placed(axes, at.map((v, j) => v + along[j] * shaft / 2), [r, r, shaft / 2], [...color, alpha]));
      heads.push(...placed(axes, at.map((v, j) => v + along[j] * (shaft + head / 2)), [2.2 * r, 2.2 * r, head / 2], [...color, alpha]));
    }
    const draw = () => {
      batch(unit.cylinder, disks);
      batch(unit.cylinder, shafts);
      batch(unit.cone, heads);
    };
    gl.uniform1i(uniform.pass, 0);
    gl.enable(gl.BLEND);
    draw();
    // What hides them lets them shine through.
    gl.depthFunc(gl.GREATER);
    gl.depthMask(false);
    gl.uniform1f(uniform.veil, 0.25);
    draw();
    gl.uniform1f(uniform.veil, 1);
    gl.depthMask(true);
    gl.depthFunc(gl.LEQUAL);
    gl.disable(gl.BLEND);
  };

  // Nothing but floors has been drawn yet: what hides a shadow is drawn over it.
  const shadows = (sets, eye) => {
    const floor = sets[0] && sets[0].planes.find(p => p.matrix[10] > 0.9);
    if (!floor) return;
    const n = [floor.matrix[2], floor.matrix[6], floor.matrix[10]], off = -(n[0] * floor.row[3] + n[1] * floor.row[7] + n[2] * floor.row[11]);
    if (n[0] * eye[0] + n[1] * eye[1] + n[2] * eye[2] + off < 0) return;
    gl.uniform4f(uniform.ground, ...n, off);
    gl.disable(gl.DEPTH_TEST);
    gl.uniform1i(uniform.pass, 1);
    gl.enable(gl.BLEND);
    gl.enable(gl.STENCIL_TEST);
    gl.stencilFunc(gl.EQUAL, 0, 255);
    gl.stencilOp(gl.KEEP, gl.KEEP, gl.INCR);
    for (const set of sets) batches(set.groups);
    gl.disable(gl.STENCIL_TEST);
    gl.disable(gl.BLEND);
    gl.enable(gl.DEPTH_TEST);
  };

  const outlines = (sets, pixel) => {
    gl.uniform1i(uniform.pass, 2);
    gl.uniform1f(uniform.thick, 1.3 * pixel);
    gl.enable(gl.CULL_FACE);
    gl.cullFace(gl.FRONT);
    for (const set of sets) batches(set.groups);
    gl.disable(gl.CULL_FACE);
  };

  // A pane: {x, y, width, height (pixels from below), camera, scenes: [{parts, matrix, run, frame, look}], show, theme}.
  const draw = view => {
    const camera = view.camera, origin = camera.target, tan = Math.tan(camera.fov / 2), aspect = view.width / view.height;
    const near = 0.02 * camera.distance, far = 300 * (camera.distance + data.sizes.radius);
    const axes = camera.axes(), eye = axes[2].map(v => v * camera.distance);
    const flat = [];
    for (let c = 0; c < 3; ++c) for (let r = 0; r < 3; ++r) flat[4 * c + r] = axes[r][c];
    const a = 1 / (tan * aspect), b = 1 / tan, p = (near + far) / (near - far), q = 2 * near * far / (near - far), m = new Float32Array(16);
    for (let c = 0; c < 3; ++c) {
      m[4 * c] = a * flat[4 * c];
      m[4 * c + 1] = b * flat[4 * c + 1];
      m[4 * c + 2] = p * flat[4 * c + 2];
      m[4 * c + 3] = -flat[4 * c + 2];
    }
    m[14] = -p * camera.distance + q;
    m[15] = camera.distance;
    const dark = view.theme === 'dark', sky = dark ? [0.078, 0.09, 0.106] : [0.93, 0.945, 0.96];
    gl.viewport(view.x, view.y, view.width, view.height);
    gl.scissor(view.x, view.y, view.width, view.height);
    gl.enable(gl.SCISSOR_TEST);
    gl.enable(gl.DEPTH_TEST);
    gl.depthFunc(gl.LEQUAL);
    gl.clearColor(...sky, 1);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT | gl.STENCIL_BUFFER_BIT);
    gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
    gl.uniformMatrix4fv(uniform.project, false, m);
    gl.uniform3f(uniform.eye, ...eye);
    gl.uniform3f(uniform.sun, ...Replay.SUN);
    gl.uniform3f(uniform.sky, ...sky);
    gl.uniform3f(uniform.ink, ...(dark ? [0.02, 0.03, 0.04] : [0.16, 0.18, 0.22]));
    gl.uniform1f(uniform.dark, dark ? 1 : 0);
    gl.uniform1f(uniform.veil, 1);
    const sets = view.scenes.map(scene => gather(scene, origin, scene.look));
    draw_planes(sets[0].planes.filter(x => x.matrix[10] > 0.5), view, origin, camera.distance);
    shadows(sets, eye);
    outlines(sets, 2 * tan / view.height);
    gl.uniform1i(uniform.pass, 0);
    for (const set of sets) batches(set.groups);
    if (view.show.contacts || view.show.forces) view.scenes.forEach(s => s.look.ghost || marks(s.run, s.frame, origin, view.show));
    gl.enable(gl.BLEND);
    gl.depthMask(false);
    gl.uniform1i(uniform.pass, 0);
    for (const set of sets) batches(set.glass);
    draw_planes(sets[0].planes.filter(x => x.matrix[10] <= 0.5), view, origin, camera.distance);
    gl.depthMask(true);
    gl.disable(gl.BLEND);
  };
  return {gl, draw, error: () => gl.getError(), calls: () => calls};
};
