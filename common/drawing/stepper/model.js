// What the recording says, and the state after each of its steps: replayed from the nearest keyframe.
const R = JSON.parse(document.getElementById('recording').textContent);
const W = Math.ceil(R.threads / 32);  // warps of a block
const ALL = W * R.blocks.length;      // of all blocks; a warp's number among them: global(block, warp)
const KEY = 64;                       // steps between keyframes
const global = (block, warp) => block * W + warp;
const clusterBar = block => 'cluster' + Math.floor(block / R.cluster);

function pairs(flat, width) {
  const all = [];
  for (let i = 0; flat && i < flat.length; i += width) all.push(flat.slice(i, i + width));
  return all;
}

// A step holds only what differs from these. Lists are flat: two, three or five numbers an entry.
const usual = {
  block: 0,
  warp: -1,
  place: -1,
  times: 1,
  number: 0,
  first: 0,
  what: -1,
  bytes: 0,
  global: 0,
  order: '',
  text: '',
  group: 1,
  shape: 0,
  also: [],
  from: [],
  warps: [],
  ahead: [],
  map: -1,
  maps: [],
  values: []
};
const steps = R.steps.map((step, i) => {
  const s = {...usual, ...step, i};
  s.mask = (step.mask ?? (s.warp < 0 ? 0 : 0xffffffff)) >>> 0;
  s.memory = step.memory ?? s.block;
  for (const [name, width] of [['ranges', 2], ['upto', 2], ['threads', 3], ['barriers', 5], ['cells', 6]]) s[name] = pairs(s[name], width);
  s.gw = s.warp < 0 ? -1 : global(s.block, s.warp);
  return s;
});
const copyKinds = new Set(['copy', 'bulk_load']);
const parts = R.parts.map(([name, begin, bytes, element]) => ({name, begin, bytes, element}));

// When a copy's bytes are there: of cp.async, when its threads have waited, since they may land at any time before.
const landed = new Map();  // step of the copy -> {at, phase}
(function() {
const open = Array.from({length: ALL}, () => []), flights = new Map();
const close = (gw, mask, upto, at) => {
  open[gw] = open[gw].filter(copy => {
    if (copy.x <= upto) copy.left = (copy.left & ~mask) >>> 0;
    if (copy.left === 0) landed.set(copy.i, {at, phase: -1});
    return copy.left !== 0;
  });
};
for (const s of steps) {
  if (s.kind === 'copy') open[s.gw].push({i: s.i, x: s.number, left: s.mask});
  if (s.kind === 'wait_group')
    for (const [mask, upto] of s.upto) close(s.gw, mask, upto, s.i);
  if (s.kind === 'm_copies') close(s.gw, s.mask, s.number, s.i);
  if (s.kind === 'bulk_load') flights.set(s.number, s.i);
  if (s.kind === 'landed' && flights.has(s.number)) landed.set(flights.get(s.number), {at: s.i, phase: s.first});
}
})();

// tcgen05: when an operation is complete and on which mbarriers its commits arrive, and when a warp has waited for its
// own access.
const issuer = s => [s.gw, s.mask, s.group].join();
const numbered = new Map();   // by number: the step of an operation, or of a commit
const done = new Map();       // step of an operation or access -> step at which it is complete
const arrivals = new Map();   // of a thread's commits: [{at, what, phase, upto}]
const committed = new Map();  // step of a commit -> the steps of its operations that no earlier one has
(function() {
const open = Array.from({length: ALL}, () => []), moves = Array.from({length: ALL}, () => []);
for (const s of steps) {
  if (s.kind === 't_issue' || s.kind === 't_commit') numbered.set(s.number, s.i);
  if (s.kind === 't_issue') open[s.gw].push(s);
  if (s.kind === 't_done' && numbered.has(s.number)) done.set(numbered.get(s.number), s.i);
  if (s.kind === 't_commit') {
    const mine = o => issuer(o) === issuer(s) && o.first <= s.first;
    committed.set(s.i, open[s.gw].filter(mine).map(o => o.i));
    open[s.gw] = open[s.gw].filter(o => !mine(o));
  }
  if (s.kind === 't_arrive' && numbered.has(s.number)) {
    const commit = steps[numbered.get(s.number)], all = arrivals.get(issuer(commit)) || [];
    arrivals.set(issuer(commit), all);
    all.push({at: s.i, what: s.what, phase: s.first, upto: commit.first});
  }
  if (s.kind === 't_access') moves[s.gw].push(s);
  if (s.kind === 't_wait')
    moves[s.gw] = moves[s.gw].filter(m => {
      if (m.first === s.first) done.set(m.i, s.i);
      return m.first !== s.first;
    });
}
})();
const usesTensors = steps.some(s => s.cells.length);
const GROUPS = 8, COLUMNS = 512;  // of Tensor Memory: 16 lanes together

// What a warp, or whoever acquires what a barrier stands for, is ordered after: each warp's steps (g), its completed
// cp.async (c), the phases of mbarriers that are over (p), and of each warp's steps those that a fence has made visible
// to the async proxy (f).
class Knowledge {
  constructor(from) {
    this.g = from ? from.g.slice() : new Int32Array(ALL).fill(-1);
    this.c = from ? from.c.slice() : new Int32Array(ALL);
    this.f = from ? from.f.slice() : new Int32Array(ALL).fill(-1);
    this.p = from ? {...from.p} : {};
  }
  join(other) {
    if (!other) return;
    for (let i = 0; i < ALL; i++) {
      if (other.g[i] > this.g[i]) this.g[i] = other.g[i];
      if (other.c[i] > this.c[i]) this.c[i] = other.c[i];
      if (other.f[i] > this.f[i]) this.f[i] = other.f[i];
    }
    for (const m in other.p)
      if (!(this.p[m] >= other.p[m])) this.p[m] = other.p[m];
  }
}
const copied = (map, f) => {
  const to = {};
  for (const k in map) to[k] = f(map[k]);
  return to;
};

class State {
  constructor(from) {
    this.at = from ? from.at : -1;
    this.warps = from ? from.warps.slice() : Array.from({length: ALL}, () => ({fragments: [], ended: false, begun: false}));
    this.bars = from ? copied(from.bars, b => ({...b, arrived: b.arrived.slice()})) : {};
    this.mbarriers = from ? from.mbarriers.map(m => ({...m, arrived: m.arrived.slice(), copies: m.copies.slice()})) :
                            R.barriers.map(([name, block, offset, count]) => ({
                                             name,
                                             block,
                                             offset,
                                             count,
                                             live: false,
                                             ended: false,
                                             pending: 0,
                                             phase: 0,
                                             expected: count,
                                             tx: 0,
                                             arrived: [],
                                             copies: []
                                           }));
    this.maps = from ? from.maps.map(m => ({...m, acquired: m.acquired.slice()})) :
                       R.maps.map(() => ({fields: null, changed: -1, released: -1, acquired: [], used: -1}));
    this.queues = from ?
        from.queues.map(q => ({...q, open: q.open.slice(), list: q.list.slice(), bulkOpen: q.bulkOpen.slice(), bulk: q.bulk.slice()})) :
        Array.from(
            {length: ALL}, () => ({open: [], list: [], cut: null, committed: 0, bulkOpen: [], bulk: [], bulkCut: null, bulkCommitted: 0}));
    const words = Math.ceil(R.shared / 4);
    this.fill = from ? from.fill.map(a => a.slice()) : R.blocks.map(() => new Int32Array(words).fill(-1));
    this.read = from ? from.read.map(a => a.slice()) : R.blocks.map(() => new Int32Array(words).fill(-1));
    const cells = () => R.blocks.map(() => new Int32Array(usesTensors ? GROUPS * COLUMNS : 0).fill(-1));
    for (const array of ['owner', 'made', 'used'])  // steps: alloc, the last write since, the last read
      this[array] = from ? from[array].map(a => a.slice()) : cells();
    this.commits = from ? {...from.commits} : {};  // what the thread of a commit that has not arrived was ordered after
    this.know = from ? from.know.map(k => new Knowledge(k)) : Array.from({length: ALL}, () => new Knowledge());
    this.own = from ? from.own.slice() : new Int32Array(ALL);  // cp.async that all lanes of the warp know of
    this.clocks = from ? copied(from.clocks, k => new Knowledge(k)) : {};
    this.fenced = from ? copied(from.fenced, k => new Knowledge(k)) : {};
    this.pending = from ? copied(from.pending, k => new Knowledge(k)) : {};
    this.flags = from ? copied(from.flags, f => ({...f, seen: f.seen.slice()})) : {};  // by spotOf
    this.lastFence = from ? from.lastFence.slice() : new Int32Array(ALL).fill(-1);
  }
  clock(name) {
    return this.clocks[name] || (this.clocks[name] = new Knowledge());
  }
  seenBy(i, gw) {  // is the warp ordered after what step i wrote?
    const s = steps[i], k = this.know[gw];
    if (s.kind === 'copy') return gw === s.gw ? this.own[gw] >= s.number : k.c[s.gw] >= s.number;
    if (s.kind === 'bulk_load') {
      const l = landed.get(i);
      return !!l && l.at <= this.at && k.p[s.what] > l.phase;
    }
    if (s.kind === 't_issue')
      return (arrivals.get(issuer(s)) || []).some(a => a.at <= this.at && a.upto >= s.first && k.p[a.what] > a.phase);
    if (s.kind === 't_access') return done.get(i) <= this.at && (gw === s.gw || k.g[s.gw] >= done.get(i));
    return gw === s.gw || k.g[s.gw] >= i;
  }
  tensorViewers(i, block) {  // how many of its warps are ordered after what step i wrote into Tensor Memory
    let warps = 0;
    for (let gw = block * W; gw < block * W + W; gw++) warps += this.seenBy(i, gw);
    return warps;
  }
  viewers(i) {  // {state, warps} of what step i wrote into shared memory
    const s = steps[i], warps = [];
    const base = s.memory * W;
    for (let gw = base; gw < base + W; gw++)
      if (this.seenBy(i, gw)) warps.push(gw - base);
    if (copyKinds.has(s.kind)) {
      const l = landed.get(i);
      if (!l || l.at > this.at) return {state: 'flight', warps: []};
      if (!warps.length) return {state: s.kind === 'copy' && this.know[s.gw].c[s.gw] >= s.number ? 'own' : 'landed', warps};
    }
    return {state: warps.length === W ? 'all' : warps.length ? 'some' : 'landed', warps};
  }
}

const change = {
  copy(t, s) {
    t.queues[s.gw].open.push(s.i);
    touch(t, s);
  },
  commit(t, s) {
    const q = t.queues[s.gw];
    q.list.push({fills: q.open, upto: s.number, at: s.i, done: false, number: q.committed++});
    q.open = [];
    q.list = q.list.slice(-10);
  },
  wait_group(t, s) {
    const q = t.queues[s.gw], k = t.know[s.gw];
    q.cut = {n: s.number, at: Math.max(0, q.committed - s.number)};
    const upto = Math.min(...s.upto.map(u => u[1]));
    q.list = q.list.map(g => (g.number < q.cut.at ? {...g, done: true} : g));
    k.c[s.gw] = Math.max(k.c[s.gw], upto);
    if (popcount(liveMask(t, s.gw)) === 1) t.own[s.gw] = k.c[s.gw];
  },
  arrive(t, s) {
    const name = s.number < 0 ? clusterBar(s.block) : s.block + ':' + s.number;
    const b = t.bars[name] || (t.bars[name] = {name, block: s.block, id: s.number, expected: s.first, arrived: [], over: 0});
    b.expected = s.first;
    b.arrived.push([s.gw, s.mask]);
    if (s.order !== 'x') {
      t.know[s.gw].g[s.gw] = s.i;
      t.clock('b' + name).join(t.know[s.gw]);
    }
  },
  complete(t, s) {
    const name = s.number < 0 ? clusterBar(s.block) : s.block + ':' + s.number, b = t.bars[name];
    if (!b) return;
    b.arrived = [];
    b.over++;
    t.clocks['B' + name] = t.clock('b' + name);
    t.clocks['b' + name] = new Knowledge(t.clocks['B' + name]);
    for (const [block, warp] of s.threads) acquire(t, global(block, warp), 'B' + name);
  },
  cluster_pass(t, s) {
    if (s.order === 'a') acquire(t, s.gw, 'B' + clusterBar(s.block));
  },
  init(t, s) {
    t.mbarriers[s.what].live = true;
    touch(t, s);
  },
  m_arrive(t, s) {
    t.mbarriers[s.what].arrived.push([s.gw, s.mask]);
    t.know[s.gw].g[s.gw] = s.i;
    if (s.order === 'r') t.clock('m' + s.what).join(t.know[s.gw]);
  },
  m_copies(t, s) {
    t.mbarriers[s.what].arrived.push([s.gw, s.mask]);
    const c = t.clock('m' + s.what), q = t.queues[s.gw];
    c.c[s.gw] = Math.max(c.c[s.gw], s.number);
    q.open = q.open.filter(i => steps[i].number > s.number);
  },
  m_pass(t, s) {
    if (s.order !== 'a') return;
    acquire(t, s.gw, 'M' + s.what);
    t.know[s.gw].p[s.what] = Math.max((t.know[s.gw].p[s.what] ?? 0), s.number);
  },
  m_end(t, s) {
    Object.assign(t.mbarriers[s.what], {live: false, ended: true});
  },
  bulk_load(t, s) {
    if (s.what >= 0) t.mbarriers[s.what].copies.push(s.i);
    touch(t, s);
  },
  landed(t, s) {
    if (s.what >= 0) t.mbarriers[s.what].copies = t.mbarriers[s.what].copies.filter(i => steps[i].number !== s.number);
  },
  bulk_store(t, s) {
    t.queues[s.gw].bulkOpen.push(s.i);
    for (const r of words(s)) mark(t.read[s.memory], r, s.i);
  },
  bulk_commit(t, s) {
    const q = t.queues[s.gw];
    q.bulk.push({fills: q.bulkOpen, upto: s.number, at: s.i, read: false, done: false, number: q.bulkCommitted++});
    q.bulkOpen = [];
    q.bulk = q.bulk.slice(-10);
  },
  bulk_wait(t, s) {
    const q = t.queues[s.gw], upto = Math.max(0, ...s.upto.map(u => u[1]));
    q.bulk = q.bulk.map(g => (g.upto <= upto ? {...g, read: true, done: g.done || !s.first} : g));
    const left = q.bulk.filter(g => g.upto > upto).length;
    q.bulkCut = {n: left, at: q.bulkCommitted - left, read: !!s.first};
  },
  read(t, s) {
    t.know[s.gw].g[s.gw] = s.i;
    if (!s.global)
      for (const r of words(s)) mark(t.read[s.memory], r, s.i);
    strongRead(t, s);
    noteFlag(t, s);
  },
  write(t, s) {
    t.know[s.gw].g[s.gw] = s.i;
    noteFlag(t, s);
    if (s.map >= 0) changeMap(t, s);
    strongWrite(t, s);
    if (!s.global) touch(t, s);
  },
  atomic(t, s) {
    t.know[s.gw].g[s.gw] = s.i;
    noteFlag(t, s);
    strongRead(t, s);
    strongWrite(t, s);
    if (!s.global) touch(t, s);
  },
  fence(t, s) {
    if (t.pending[s.gw]) t.know[s.gw].join(t.pending[s.gw]);
    t.know[s.gw].g[s.gw] = s.i;
    t.fenced[s.gw] = new Knowledge(t.know[s.gw]);
    t.lastFence[s.gw] = s.i;
  },
  proxy_fence(t, s) {
    const k = t.know[s.gw];
    k.g[s.gw] = s.i;
    k.f = k.g.slice();
  },
  map_copy(t, s) {
    change.read(t, s);
    if (s.map >= 0) {
      changeMap(t, s);
      t.maps[s.map].released = s.i;
    }
  },
  map_fence(t, s) {
    const k = t.know[s.gw];
    k.g[s.gw] = s.i;
    if (s.order === 'a' && s.map >= 0) t.maps[s.map].acquired.push({at: s.i, released: t.maps[s.map].released});
    if (s.order === 'r')
      for (const m of t.maps)
        if (m.changed >= 0 && m.released < m.changed && k.g[steps[m.changed].gw] >= m.changed) m.released = s.i;
  },
  warp_sync(t, s) {
    t.own[s.gw] = t.know[s.gw].c[s.gw];
  },
  t_alloc(t, s) {
    forCells(s, 1, (block, at) => {
      t.owner[block][at] = s.i;
      t.made[block][at] = t.used[block][at] = -1;
    });
  },
  t_free(t, s) {
    forCells(s, 1, (block, at) => {
      t.owner[block][at] = t.made[block][at] = t.used[block][at] = -1;
    });
  },
  t_issue(t, s) {
    t.know[s.gw].g[s.gw] = s.i;
    for (const r of words(s)) mark(t.read[s.memory], r, s.i);
    change.t_access(t, s);
  },
  t_access(t, s) {
    forCells(s, 0, (block, at) => t.used[block][at] = s.i);
    forCells(s, 1, (block, at) => {
      t.made[block][at] = s.i;
      t.used[block][at] = -1;
    });
  },
  t_wait(t, s) {
    t.know[s.gw].g[s.gw] = s.i;
  },
  t_commit(t, s) {
    t.know[s.gw].g[s.gw] = s.i;
    t.commits[s.number] = {know: new Knowledge(t.know[s.gw]), left: 1 + s.also.length};
  },
  t_arrive(t, s) {
    t.mbarriers[s.what].arrived.push([s.gw, s.mask]);
    const commit = t.commits[s.number];
    if (!commit) return;
    t.clock('m' + s.what).join(commit.know);
    if (commit.left > 1)
      t.commits[s.number] = {...commit, left: commit.left - 1};
    else
      delete t.commits[s.number];
  },
};
const words = s => s.ranges.map(([b, e]) => [b >> 2, Math.max((e + 3) >> 2, (b >> 2) + 1)]);
function forCells(s, written, f) {  // f(block, place in its arrays of cells)
  for (const [block, lane, lanes, column, columns, writes] of s.cells)
    if (writes === written)
      for (let g = lane >> 4; g * 16 < lane + lanes; g++)
        for (let c = column; c < column + columns; c++) f(block, g * COLUMNS + c);
}
// A release or an acquire counts from the last change on.
function changeMap(t, s) {
  Object.assign(t.maps[s.map], {changed: s.i, released: -1, acquired: [], used: -1});
}
function mark(array, [begin, end], value) {
  array.fill(value, begin, end);
}
function touch(t, s) {
  for (const r of words(s)) mark(t.fill[s.memory], r, s.i);
}
function acquire(t, gw, name) {
  t.know[gw].join(t.clocks[name]);
  t.own[gw] = t.know[gw].c[gw];
}
const spotOf = s => (s.global ? 'g' + s.text : 's' + s.memory + ':' + (s.ranges[0] || [0])[0]);
// Locations of global memory through which threads tell others something: all that some step accesses strongly.
const spots = new Set(steps.filter(s => s.global && s.order && s.text).map(s => spotOf(s)));
const isFlag = s => s.global && ['read', 'write', 'atomic'].includes(s.kind) && spots.has(spotOf(s));
function noteFlag(t, s) {
  if (!isFlag(s)) return;
  const spot = spotOf(s), flag = t.flags[spot] || (t.flags[spot] = {name: s.text, raised: -1, fence: -1, seen: []});
  const polls = s.kind === 'atomic' && s.first;  // it has changed nothing
  if (s.kind !== 'write' && flag.raised >= 0 && steps[flag.raised].gw !== s.gw) flag.seen.push(s.i);
  if (s.kind !== 'read' && !polls) Object.assign(flag, {raised: s.i, fence: t.lastFence[s.gw], seen: s.kind === 'atomic' ? flag.seen : []});
}
function strongRead(t, s) {
  const from = t.clocks['l' + spotOf(s)];
  if (!s.order || !from) return;
  if (s.order === 'a' || s.order === 'b')
    t.know[s.gw].join(from);
  else
    (t.pending[s.gw] || (t.pending[s.gw] = new Knowledge())).join(from);
}
function strongWrite(t, s) {
  if (!s.order) return;
  const what = s.order === 'r' || s.order === 'b' ? t.know[s.gw] : t.fenced[s.gw];
  if (what) t.clock('l' + spotOf(s)).join(what);
}
function popcount(mask) {
  let n = 0;
  for (; mask; mask = (mask & (mask - 1)) >>> 0) n++;
  return n;
}
function liveMask(t, gw) {
  return t.warps[gw].fragments.reduce((m, f) => (m | f[0]) >>> 0, 0);
}

function apply(t, s) {
  t.at = s.i;
  for (const [block, warp, ...fragments] of s.warps) t.warps[global(block, warp)] = {fragments, ended: !fragments.length, begun: true};
  if (change[s.kind]) change[s.kind](t, s);
  if (s.map >= 0 && /^bulk/.test(s.kind)) t.maps[s.map].used = s.i;
  for (const [m, fields] of s.maps) t.maps[m].fields = fields;
  for (const [m, pending, phase, expected, tx] of s.barriers) {
    const b = t.mbarriers[m];
    b.live = !b.ended;        // it may have been initialised before the first step
    if (phase !== b.phase) {  // what was known at its arrivals is published
      b.arrived = [];
      t.clocks['M' + m] = t.clock('m' + m);
      t.clocks['m' + m] = new Knowledge(t.clocks['M' + m]);
    }
    Object.assign(b, {pending, phase, expected, tx});
  }
}

const keyframes = [new State()];
(function() {
const t = new State();
for (const s of steps) {
  apply(t, s);
  if ((s.i + 1) % KEY === 0) keyframes.push(new State(t));
}
})();
function stateAt(i) {  // after step i; -1: before the first
  const t = new State(keyframes[Math.floor((i + 1) / KEY)]);
  while (t.at < i) apply(t, steps[t.at + 1]);
  return t;
}
