// A deadlock: who waits for what, how much is missing, who should provide it, and where those threads are instead.
const DEADLOCK = 6;  // events::Stopped::Why
const isStandstill = i => i >= 0 && steps[i].kind === 'misuse' && steps[i].number === DEADLOCK;
const blockOf = gw => Math.floor(gw / W);
const named = (gw, mask) => threads(gw % W, mask) + inBlock(blockOf(gw));

function namesOf(list) {  // of [warp, lanes]: "warps 0–3, thread 128"
  const full = list.filter(([gw, mask]) => mask >>> 0 === fullMask(gw % W)), rest = list.filter(one => !full.includes(one)), by = new Map();
  for (const [gw] of full) by.set(blockOf(gw), [...(by.get(blockOf(gw)) || []), gw % W]);
  const all = [...by].map(([block, warps]) => warpsText(warps.sort((a, b) => a - b)) + inBlock(block));
  return [...all, ...rest.map(([gw, mask]) => named(gw, mask))].join(T.list);
}
function waitsOf(t) {  // threads that wait for the same thing at the same line are one entry
  const all = new Map();
  t.warps.forEach((warp, gw) => {
    for (const [mask, place, waits, what, ask] of warp.fragments) {
      if (!waits) continue;
      const block = blockOf(gw), key = [block, place, waits, what, ask].join(),
            one = all.get(key) || {block, place, waits, what, ask, who: []};
      one.who.push([gw, mask >>> 0]);
      all.set(key, one);
    }
  });
  return [...all.values()];
}
function join(by, gw, mask, step) {
  const known = by.get(gw) || {gw, mask: 0, step};
  by.set(gw, {gw, mask: (known.mask | mask) >>> 0, step});
}
function without(by, arrived) {  // those of `by` that have not arrived
  for (const [gw, mask] of arrived)
    if (by.has(gw)) by.get(gw).mask = (by.get(gw).mask & ~mask) >>> 0;
  return [...by.values()].filter(one => one.mask);
}
const family = name => name.replace(/\[\d+\]$/, '');
function arrivedBefore(wait, at) {  // on this mbarrier; if none has, on others of its array
  const arrivals = steps.filter(s => s.i < at && (s.kind === 'm_arrive' || s.kind === 'm_copies') && s.what >= 0);
  const own = arrivals.filter(s => s.what === wait.what), [name, block] = R.barriers[wait.what];
  const like = own.length ? own : arrivals.filter(s => R.barriers[s.what][1] === block && family(R.barriers[s.what][0]) === family(name));
  const by = new Map();
  for (const s of like) join(by, s.gw, s.mask, s.i);
  return {by, own: own.length > 0, other: like.length && !own.length ? like[like.length - 1].what : -1};
}
// Threads that would arrive on an mbarrier (of a wait for a phase) or come to a block barrier if they went on, elsewhere
// than those that wait themselves would. On which one is not known.
function wouldArrive(at, wait) {
  const which = wait.waits === 4 ? 3 : 4, mine = new Set();
  const waits = (gw, mask) => wait.who.some(([w, m]) => w === gw && (m & mask));
  const all = steps[at].ahead.map(a => ({gw: global(a[0], a[1]), mask: a[2] >>> 0, places: a[which], step: -1}));
  for (const one of all)
    if (waits(one.gw, one.mask) && which === 3) one.places.forEach(p => mine.add(p));
  return all.filter(one => blockOf(one.gw) === wait.block && !waits(one.gw, one.mask) && one.places.some(p => !mine.has(p)))
      .map(one => ({...one, places: one.places.filter(p => !mine.has(p))}));
}
// What the threads of `wait` lack: {text, should: who has to do something, hopeless: no thread will}.
function lackOf(t, wait, at) {
  if (wait.waits === 4 && wait.what >= 0) {
    const m = t.mbarriers[wait.what], lacks = [], bytes = Math.max(0, m.tx);
    if (m.pending) lacks.push(T.standstill.arrivals(m.pending, m.expected));
    if (bytes) {
      const landed = steps.filter(s => s.i < at && s.kind === 'landed' && s.what === wait.what && s.first === m.phase);
      const come = landed.reduce((sum, s) => sum + s.bytes, 0);
      lacks.push(T.standstill.bytes(bytes, bytes + come, come, m.copies.length));
    }
    if (m.tx < 0) lacks.push(T.standstill.unannounced(-m.tx));
    const {by, own, other} = arrivedBefore(wait, at);
    let should = m.pending ? without(by, own ? m.arrived : []) : [];
    if (m.pending && !should.length) should = wouldArrive(at, wait);
    const unknown = m.pending && !should.length;
    return {
      lacks,
      should,
      note: unknown  ? T.standstill.noneLeft(own, m.arrived.length > 0) :
          other >= 0 ? T.standstill.asOn(mbarrier(other)) :
                       '',
      hopeless: unknown || (!m.pending && bytes > 0 && !m.copies.length)
    };
  }
  if (wait.waits === 2) {
    const b = t.bars[wait.block + ':' + wait.what], by = new Map(), base = wait.block * W;
    if (!b) return {lacks: [], should: [], note: '', hopeless: false};
    const whole = b.expected >= R.threads, n = b.arrived.reduce((sum, [, mask]) => sum + popcount(mask), 0);
    if (whole)
      for (let gw = base; gw < base + W; gw++) join(by, gw, liveMask(t, gw) || (t.warps[gw].begun ? 0 : fullMask(gw - base)), -1);
    else
      for (const s of steps)
        if (s.i < at && s.kind === 'arrive' && s.block === wait.block && s.number === wait.what) join(by, s.gw, s.mask, s.i);
    let should = without(by, b.arrived);
    if (!should.length) should = wouldArrive(at, wait);
    return {
      lacks: [T.standstill.threads(Math.max(0, b.expected - n), b.expected)],
      should,
      note: should.length ? '' : T.standstill.noneLeft(!whole, true),
      hopeless: !should.length
    };
  }
  if (wait.waits === 3) {
    const b = t.bars[clusterBar(wait.block)], by = new Map(), first = Math.floor(wait.block / R.cluster) * R.cluster * W;
    for (let gw = first; gw < first + R.cluster * W; gw++) join(by, gw, liveMask(t, gw), -1);
    const should = without(by, b ? b.arrived : []);
    return {lacks: [], should, note: '', hopeless: !should.length};
  }
  return {lacks: [], should: [], note: '', hopeless: false};
}
function whereabouts(t, {gw, mask}) {  // where those threads are instead
  const warp = t.warps[gw], all = [];
  let left = mask;
  for (const f of warp.fragments) {
    const here = (f[0] & mask) >>> 0;
    if (!here) continue;
    left = (left & ~here) >>> 0;
    all.push([here, f[2] ? T.standstill.waits(waitText(t, f, blockOf(gw))) : T.standstill.stands, f[1]]);
  }
  if (left) all.push([left, T.standstill.ended, -1]);
  return all;
}
function shouldText(t, list, own) {  // those that are at the same place are one line
  const by = new Map();
  for (const one of list)
    for (const [mask, text, at] of whereabouts(t, one)) {
      const key = [text, at, one.places].join(), known = by.get(key) || {text, at, who: [], step: one.step, places: one.places};
      known.who.push([one.gw, mask]);
      by.set(key, known);
    }
  return [...by.values()].map(
      ({text, at, who, step, places}) =>
          el('li', {},
             places               ? T.standstill.would(namesOf(who), places.map(place).join(T.list)) :
                 own && step >= 0 ? T.standstill.lastTime(namesOf(who)) :
                                    T.standstill.should(namesOf(who)),
             own && step >= 0 ? goTo(step) : null, T.standstill.now(text), at >= 0 ? el('span', {class: 'line'}, ' ' + place(at)) : null));
}
function standstill(at) {
  const t = stateAt(at);
  const all = waitsOf(t).map(wait => ({wait, ...lackOf(t, wait, at)})).sort((a, b) => b.hopeless - a.hopeless);
  const cards = all.map(({wait, lacks, should, note, hopeless}) => {
    const [gw, mask] = wait.who[0], f = t.warps[gw].fragments.find(x => x[0] >>> 0 === mask);
    return el(
        'div', {class: 'stuck' + (hopeless ? ' dead' : '')},
        el('p', {}, el('b', {}, namesOf(wait.who)),
           T.standstill.waitsFor(waitText(t, f, wait.block), wait.who.length === 1 && (popcount(mask) === 1 || mask === fullMask(gw % W))),
           el('span', {class: 'line'}, ' ' + place(wait.place))),
        el('ul', {}, ...lacks.map(text => el('li', {}, text)), ...shouldText(t, should, wait.waits !== 3),
           note ? el('li', {}, note) : null));
  });
  if (all.length > 1 && !all.some(one => one.hopeless)) cards.push(el('p', {}, T.standstill.cycle));
  return cards;
}
// The finding's own words without its table of waiting threads, which is drawn.
function standstillRule(f) {
  const rule = T.rule(f), first = text => text.split('\n')[0];
  return {
    told: rule.told.map(first).filter(text => !/[:：]$/.test(text)),
    remedy: rule.remedy,
    original: rule.original.map(first).filter(text => !/:$/.test(text))
  };
}
