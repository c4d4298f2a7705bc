"use strict";
// A motion in a page: perspective, hidden surfaces and shading as in the Python files next to this one, painted into a canvas.
// Hidden surfaces here by a depth buffer of PT = 1/z, which is affine over the image of a plane, so it is added up pixel by pixel.
// Eye axes: x to the right, y down, z ahead.

const LIFT = 1.002; // lines are this much nearer than they are

function decode(text, kind) {
  const raw = atob(text), bytes = new Uint8Array(raw.length);
  for (let k = 0; k < raw.length; k++) bytes[k] = raw.charCodeAt(k);
  return new kind(bytes.buffer);
}

function unpack(data) {
  const F = Float32Array, U = Uint32Array;
  return Object.assign({}, data, {
    times: decode(data.times, F), poses: decode(data.poses, F), points: decode(data.points, F), owner: decode(data.owner, Int32Array),
    corners: decode(data.corners, U), starts: decode(data.starts, U), colors: decode(data.colors, Uint8Array),
    closed: decode(data.closed, Uint8Array), edges: decode(data.edges, Int32Array),
    trails: data.trails.map((t) => decode(t, F)), grid: data.grid.map((g) => [g[0], decode(g[1], F)]),
    lines: data.lines.map((l) => Object.assign({}, l, { points: decode(l.points, F) })),
  });
}

const sub = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const unit = (a) => { const n = Math.hypot(a[0], a[1], a[2]) || 1; return [a[0] / n, a[1] / n, a[2] / n]; };

// ---- the camera: eye, target, up; rows of its axes

function axesOf(camera) {
  const ahead = unit(sub(camera.target, camera.eye));
  let right = cross(ahead, camera.up);
  if (Math.hypot(right[0], right[1], right[2]) < 1e-6) right = cross(ahead, [0, 1, 0]);
  right = unit(right);
  return [right, cross(ahead, right), ahead];
}

function orbited(camera, turn, lift, zoom) {
  const back = sub(camera.eye, camera.target), far = Math.hypot(back[0], back[1], back[2]) * zoom;
  const azimuth = Math.atan2(back[1], back[0]) + turn;
  const height = Math.asin(Math.max(-1, Math.min(1, back[2] / (far / zoom))));
  const elevation = Math.max(-1.55, Math.min(1.55, height + lift));
  const c = far * Math.cos(elevation);
  const eye = [camera.target[0] + c * Math.cos(azimuth), camera.target[1] + c * Math.sin(azimuth), camera.target[2] + far * Math.sin(elevation)];
  return Object.assign({}, camera, { eye, up: [0, 0, 1], near: camera.near * zoom });
}

function shifted(camera, dx, dy) {
  const [right, down] = axesOf(camera), add = (p) => p.map((x, k) => x + dx * right[k] + dy * down[k]);
  return Object.assign({}, camera, { eye: add(camera.eye), target: add(camera.target) });
}

// ---- a sheet of pixels with depth

function newSheet(width, height) {
  return { width, height, ink: new Uint32Array(width * height), near: new Float32Array(width * height) };
}

const packed = (r, g, b) => (0xff000000 | (Math.min(255, b) << 16) | (Math.min(255, g) << 8) | Math.min(255, r)) >>> 0;

// A triangle of (col, row, PT); deep: judge by depth, else paint over.
function fillTriangle(sheet, a, b, c, color, deep) {
  const { width, height, ink, near } = sheet;
  const area = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
  if (area === 0) return;
  const px = ((b[2] - a[2]) * (c[1] - a[1]) - (c[2] - a[2]) * (b[1] - a[1])) / area;
  const py = ((c[2] - a[2]) * (b[0] - a[0]) - (b[2] - a[2]) * (c[0] - a[0])) / area;
  const top = Math.max(0, Math.ceil(Math.min(a[1], b[1], c[1]) - 0.5)), low = Math.min(height - 1, Math.floor(Math.max(a[1], b[1], c[1]) - 0.5));
  for (let row = top; row <= low; row++) {
    const y = row + 0.5;
    let left = Infinity, right = -Infinity;
    for (let k = 0; k < 3; k++) {
      const p = k === 0 ? a : k === 1 ? b : c, q = k === 0 ? b : k === 1 ? c : a;
      if ((p[1] <= y) === (q[1] <= y)) continue;
      const x = p[0] + (y - p[1]) / (q[1] - p[1]) * (q[0] - p[0]);
      if (x < left) left = x;
      if (x > right) right = x;
    }
    const first = Math.max(0, Math.ceil(left - 0.5)), last = Math.min(width - 1, Math.ceil(right - 0.5) - 1);
    let depth = a[2] + px * (first + 0.5 - a[0]) + py * (y - a[1]);
    for (let at = row * width + first, end = row * width + last; at <= end; at++, depth += px) {
      if (!deep) ink[at] = color;
      else if (depth > near[at]) { near[at] = depth; ink[at] = color; }
    }
  }
}

function strokeLine(sheet, a, b, color, width, deep) {
  const dx = b[0] - a[0], dy = b[1] - a[1], n = Math.hypot(dx, dy);
  if (!(n > 0)) return;
  // A little longer than it is, so that corners are closed.
  const ux = dx / n * width / 2, uy = dy / n * width / 2, lift = deep ? LIFT : 1, e = 0.4;
  const p = (end, along, side) => [end[0] + along * e * ux - side * uy, end[1] + along * e * uy + side * ux, end[2] * lift];
  const [w, x, y, z] = [p(a, -1, 1), p(b, 1, 1), p(b, 1, -1), p(a, -1, -1)];
  fillTriangle(sheet, w, x, y, color, deep);
  fillTriangle(sheet, w, y, z, color, deep);
}

// ---- one moment

function poseAt(scene, bodies, moment) {
  // Positions blended, quaternions too and then made unit: moments are close to each other.
  const { times, poses } = scene, n = times.length;
  let k = 0;
  while (k < n - 2 && times[k + 1] <= moment) k++;
  const after = Math.min(k + 1, n - 1);
  const s = after > k ? Math.max(0, Math.min(1, (moment - times[k]) / (times[after] - times[k]))) : 0;
  const made = [];
  for (let body = 0; body < bodies; body++) {
    const a = (k * bodies + body) * 7, b = (after * bodies + body) * 7;
    let same = 0;
    for (let i = 3; i < 7; i++) same += poses[a + i] * poses[b + i];
    const v = [];
    for (let i = 0; i < 7; i++) v.push((1 - s) * poses[a + i] + s * (i > 2 && same < 0 ? -poses[b + i] : poses[b + i]));
    const m = Math.hypot(v[3], v[4], v[5], v[6]), [w, x, y, z] = [v[3] / m, v[4] / m, v[5] / m, v[6] / m];
    made.push([1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y), v[0], 2 * (x * y + w * z), 1 - 2 * (x * x + z * z),
      2 * (y * z - w * x), v[1], 2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y), v[2]]);
  }
  return { made, frame: s > 0.5 ? after : k };
}

function moved(pose, x, y, z) {
  if (!pose) return [x, y, z];
  return [pose[0] * x + pose[1] * y + pose[2] * z + pose[3], pose[4] * x + pose[5] * y + pose[6] * z + pose[7], pose[8] * x + pose[9] * y + pose[10] * z + pose[11]];
}

function coil(a, b, radius) {
  const d = sub(b, a), length = Math.hypot(d[0], d[1], d[2]);
  if (!(length > 0)) return [a, b];
  const z = unit(d), least = [0, 1, 2].reduce((m, k) => (Math.abs(z[k]) < Math.abs(z[m]) ? k : m), 0);
  const x = unit(cross([0, 1, 2].map((k) => (k === least ? 1 : 0)), z)), y = cross(z, x), line = [a];
  for (let k = 0; k <= 64; k++) {
    const s = k / 64, t = 2 * Math.PI * 8 * s, r = radius * Math.min(1, Math.min(s, 1 - s) * 8), h = length * (0.12 + 0.76 * s);
    line.push(a.map((v, i) => v + r * Math.cos(t) * x[i] + r * Math.sin(t) * y[i] + h * z[i]));
  }
  return line.concat([b]);
}

function paint(sheet, scene, camera, moment) {
  const { width, height } = sheet, R = axesOf(camera), half = Math.tan(camera.field_of_view / 2);
  const focal = height / 2 / half, near = camera.near, pen = height / 720, nb = scene.bodies.length;
  sheet.ink.fill(packed(...scene.paper));
  sheet.near.fill(0);
  const toEye = (p) => { const d = sub(p, camera.eye); return [dot(R[0], d), dot(R[1], d), dot(R[2], d)]; };
  const toPixel = (e) => [width / 2 + focal * e[0] / e[2], height / 2 + focal * e[1] / e[2], 1 / e[2]];
  const pull = (p, q) => { const t = (near - p[2]) / (q[2] - p[2]); return p.map((v, k) => v + t * (q[k] - v)); };
  function polygon(corners, color, deep) { // in eye axes, cut at the near plane, as a fan
    const kept = [];
    for (let k = 0; k < corners.length; k++) {
      const p = corners[k], q = corners[(k + 1) % corners.length];
      if (p[2] >= near) kept.push(toPixel(p));
      if ((p[2] >= near) !== (q[2] >= near)) kept.push(toPixel(pull(p, q)));
    }
    for (let k = 1; k + 1 < kept.length; k++) fillTriangle(sheet, kept[0], kept[k], kept[k + 1], color, deep);
  }
  function segment(p, q, color, wide, deep) {
    if (p[2] < near && q[2] < near) return;
    if (p[2] < near) p = pull(p, q);
    if (q[2] < near) q = pull(q, p);
    strokeLine(sheet, toPixel(p), toPixel(q), color, wide * pen, deep);
  }
  const { made, frame } = poseAt(scene, nb, moment), body = (k) => (k < 0 ? null : made[k]);
  const count = scene.owner.length, world = new Array(count), eye = new Array(count);
  for (let k = 0; k < count; k++) {
    world[k] = moved(body(scene.owner[k]), scene.points[3 * k], scene.points[3 * k + 1], scene.points[3 * k + 2]);
    eye[k] = toEye(world[k]);
  }
  const faces = scene.starts.length - 1, front = new Uint8Array(faces), sun = scene.sun, [ambient, bySun, byHead] = scene.light;
  const normals = [];
  for (let f = 0; f < faces; f++) {
    const at = scene.starts[f], n = scene.starts[f + 1] - at, o = world[scene.corners[at]];
    let sum = [0, 0, 0];
    for (let k = 1; k + 1 < n; k++) {
      const c = cross(sub(world[scene.corners[at + k]], o), sub(world[scene.corners[at + k + 1]], o));
      sum = [sum[0] + c[0], sum[1] + c[1], sum[2] + c[2]];
    }
    normals.push(unit(sum));
    front[f] = dot(normals[f], sub(camera.eye, o)) > 0 ? 1 : 0;
  }
  if (scene.floor && camera.eye[2] > scene.floor[2]) {
    const level = scene.floor[2], laid = scene.shadow && world.map((p) => {
      const t = (p[2] - level) / sun[2];
      return toEye([p[0] - t * sun[0], p[1] - t * sun[1], level]);
    });
    for (let f = 0; laid && f < faces; f++) {
      if (dot(normals[f], sun) > 0) polygon(Array.from(scene.corners.subarray(scene.starts[f], scene.starts[f + 1]), (k) => laid[k]), packed(...scene.shade), false);
    }
    for (const [color, ends] of scene.grid) {
      for (let k = 0; k < ends.length; k += 6) segment(toEye(ends.subarray(k, k + 3)), toEye(ends.subarray(k + 3, k + 6)), packed(...color), 1, false);
    }
  }
  for (let f = 0; f < faces; f++) {
    if (!front[f] && scene.closed[f]) continue;
    const turn = front[f] ? 1 : -1, towards = unit(sub(camera.eye, world[scene.corners[scene.starts[f]]]));
    const light = ambient + bySun * Math.max(0, turn * dot(normals[f], sun)) + byHead * Math.max(0, turn * dot(normals[f], towards));
    const color = packed(scene.colors[3 * f] * light, scene.colors[3 * f + 1] * light, scene.colors[3 * f + 2] * light);
    polygon(Array.from(scene.corners.subarray(scene.starts[f], scene.starts[f + 1]), (k) => eye[k]), color, true);
  }
  for (let k = 0; k < scene.edges.length; k += 5) { // corner, corner, face, face beyond or -1, sharp
    const f = scene.edges[k + 2], g = scene.edges[k + 3], seen = front[f] || (g >= 0 && front[g]) || !scene.closed[f];
    if (!seen || !(scene.edges[k + 4] || (g >= 0 && front[f] !== front[g]))) continue;
    segment(eye[scene.edges[k]], eye[scene.edges[k + 1]], packed(scene.colors[3 * f] / 2, scene.colors[3 * f + 1] / 2, scene.colors[3 * f + 2] / 2), 1.1, true);
  }
  const polyline = (points, color, wide) => {
    for (let k = 0; k + 1 < points.length; k++) segment(points[k], points[k + 1], packed(...color), wide, true);
  };
  for (const line of scene.lines) {
    const points = [];
    for (let k = 0; k < line.points.length; k += 3) points.push(toEye(moved(body(line.body), line.points[k], line.points[k + 1], line.points[k + 2])));
    polyline(points, line.color, line.width);
  }
  for (const tie of scene.ties) {
    const a = moved(body(tie.a[0]), ...tie.a[1]), b = moved(body(tie.b[0]), ...tie.b[1]);
    polyline((tie.style === "coil" ? coil(a, b, tie.radius) : [a, b]).map(toEye), tie.color, tie.width);
  }
  for (const trail of scene.trails) {
    const points = [];
    for (let k = 0; k <= frame; k++) points.push(toEye(trail.subarray(3 * k, 3 * k + 3)));
    polyline(points, scene.trail, 1.6);
  }
  return scene.labels.map(([text, of, at]) => {
    const e = toEye(moved(body(of), ...at));
    return [text, e[2] > near ? toPixel(e) : null];
  });
}

// ---- the page

function start(page) {
  const told = JSON.parse(page.getElementById("motion").textContent), scenes = [told].concat(told.then || []).map(unpack), scene = scenes[0];
  const sceneAt = (moment) => scenes.reduce((shown, later) => (later.times[0] <= moment ? later : shown), scene); // parts that came and went
  const canvas = page.getElementById("view"), context = canvas.getContext("2d");
  const play = page.getElementById("play"), slider = page.getElementById("time"), clock = page.getElementById("clock"), pace = page.getElementById("pace");
  const sheet = newSheet(2 * scene.size[0], 2 * scene.size[1]);
  canvas.width = sheet.width;
  canvas.height = sheet.height;
  const picture = new ImageData(new Uint8ClampedArray(sheet.ink.buffer), sheet.width, sheet.height);
  const ends = scenes[scenes.length - 1].times, first = scene.times[0], last = ends[ends.length - 1];
  let camera = scene.camera, moment = first, playing = last > first, before = null, stale = true, grip = null;
  slider.min = first;
  slider.max = last;
  slider.step = (last - first) / 1000 || 1;
  function show() {
    const labels = paint(sheet, sceneAt(moment), camera, moment);
    context.putImageData(picture, 0, 0);
    context.font = `${26 * sheet.height / 1440}px sans-serif`;
    context.textAlign = "center";
    context.fillStyle = "#33373f";
    for (const [text, at] of labels) if (at) context.fillText(text, at[0], at[1]);
    slider.value = moment;
    clock.textContent = `${moment.toFixed(2)} s`;
    play.textContent = playing ? "\u275a\u275a" : "\u25b6";
  }
  function tick(now) {
    if (playing && before !== null) {
      moment += Number(pace.value) * (now - before) / 1000;
      if (moment > last) moment = first;
      stale = true;
    }
    before = now;
    if (stale) show();
    stale = false;
    requestAnimationFrame(tick);
  }
  const pause = (on) => { playing = !on && last > first; stale = true; };
  play.addEventListener("click", () => pause(playing));
  slider.addEventListener("input", () => { moment = Number(slider.value); pause(true); });
  page.addEventListener("keydown", (event) => {
    if (event.target.tagName === "SELECT" || event.target.tagName === "BUTTON") return;
    if (event.key === " ") { pause(playing); event.preventDefault(); }
  });
  canvas.addEventListener("pointerdown", (event) => { grip = [event.clientX, event.clientY]; canvas.setPointerCapture(event.pointerId); });
  canvas.addEventListener("pointerup", () => { grip = null; });
  canvas.addEventListener("pointermove", (event) => {
    if (!grip) return;
    const dx = event.clientX - grip[0], dy = event.clientY - grip[1], d = sub(camera.eye, camera.target);
    const reach = 2 * Math.hypot(d[0], d[1], d[2]) * Math.tan(camera.field_of_view / 2) / canvas.clientHeight;
    camera = event.shiftKey || event.buttons === 2 ? shifted(camera, -dx * reach, -dy * reach) : orbited(camera, -dx * 0.008, dy * 0.008, 1);
    grip = [event.clientX, event.clientY];
    stale = true;
  });
  canvas.addEventListener("contextmenu", (event) => event.preventDefault());
  canvas.addEventListener("wheel", (event) => { camera = orbited(camera, 0, 0, Math.exp(event.deltaY * 0.001)); stale = true; event.preventDefault(); }, { passive: false });
  canvas.addEventListener("dblclick", () => { camera = scene.camera; stale = true; });
  requestAnimationFrame(tick);
}

if (typeof document !== "undefined") start(document);
else module.exports = { unpack, newSheet, paint, orbited, axesOf };
