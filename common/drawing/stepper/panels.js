// The parts of the page that show one state.
const $ = id => document.getElementById(id);
function el(tag, attributes, ...children) {
  const e = document.createElement(tag);
  for (const k in attributes || {})
    if (attributes[k] !== undefined && attributes[k] !== null) e.setAttribute(k, attributes[k]);
  e.append(...children.filter(c => c !== null && c !== undefined));
  return e;
}
const fill = (node, ...children) => node.replaceChildren(...children.filter(c => c));
const open = {
  focus: 0,
  rows: null
};  // the block whose memory and barriers are shown

// --- source ----------------------------------------------------------------------------------------------------------

let shownFile = null;
const fileOf = p => (p < 0 ? null : R.places[p][0]);
const lineOf = p => (p < 0 ? 0 : R.places[p][1]);
function showFile(file) {
  if (!file || file === shownFile || !R.files[file]) return;
  shownFile = file;
  const {first, lines} = R.files[file], rows = el('table', {role: 'presentation'});
  open.rows = new Map();
  lines.forEach((text, i) => {
    const row =
        el('tr', {id: 'line' + (first + i)}, el('td', {class: 'chips'}), el('td', {class: 'n'}, '' + (first + i)),
           el('td', {}, el('code', {}, text.replace(/\t/g, '    ') || ' ')));
    open.rows.set(first + i, row);
    rows.append(row);
  });
  fill($('source'), el('p', {class: 'file'}, file.replace(/.*\//, '')), rows);
}
function waitText(t, f, block) {
  const [, , waits, what, ask] = f;
  if (waits === 1) return T.waits.lanes;
  if (waits === 2) {
    const b = t.bars[block + ':' + what];
    const n = b ? b.arrived.reduce((sum, [, m]) => sum + popcount(m), 0) : 0;
    return T.waits.barrier(what, n, b ? b.expected : 0);
  }
  if (waits === 3) return T.waits.cluster;
  if (waits === 5) return T.waits.columns;
  return T.waits.parity(ask, mbarrier(what));
}
function showSource(t, s) {
  showFile(fileOf(s.place) || shownFile || fileOf(0));
  for (const row of open.rows ? open.rows.values() : []) {
    row.className = '';
    row.firstChild.replaceChildren();
  }
  const at = new Map();  // line -> warps that run, and that wait, there
  t.warps.forEach((w, gw) => {
    if (Math.floor(gw / W) !== open.focus) return;
    for (const f of w.fragments) {
      if (fileOf(f[1]) !== shownFile) continue;
      const here = at.get(lineOf(f[1])) || {runs: new Set(), waits: new Set()};
      (f[2] ? here.waits : here.runs).add(gw % W);
      at.set(lineOf(f[1]), here);
    }
  });
  for (const [line, {runs, waits}] of at) {
    const row = open.rows && open.rows.get(line);
    if (!row) continue;
    if (runs.size) row.firstChild.append(el('span', {class: 'chip', title: warpsText([...runs]) + T.next}, 'w' + ranges([...runs])));
    if (waits.size)
      row.firstChild.append(el('span', {class: 'chip waits', title: warpsText([...waits]) + T.waiting}, 'w' + ranges([...waits])));
  }
  const mark = (p, name) => {
    const row = fileOf(p) === shownFile && open.rows && open.rows.get(lineOf(p));
    if (row) row.classList.add(name);
    return row;
  };
  const f = current();
  if (f && f.step >= 0 && f.other >= 0) {
    mark(steps[f.other].place, 'other');
    mark(steps[f.step].place, 'wrong');
  }
  const row = mark(s.place, 'here');
  if (row) {
    const box = $('source'), y = row.offsetTop;
    if (y < box.scrollTop + 40 || y > box.scrollTop + box.clientHeight - 60) box.scrollTop = Math.max(0, y - box.clientHeight / 2);
  }
}
function showWarps(t, s) {
  const groups = new Map();
  t.warps.forEach((w, gw) => {
    if (Math.floor(gw / W) !== open.focus) return;
    if (w.ended && w.begun) return push(groups, 'end', gw % W, fullMask(gw % W), '');
    for (const f of w.fragments) {
      const running = s.gw === gw && !f[2];
      push(
          groups,
          f[2]        ? 'wait ' + waitText(t, f, open.focus) :
              running ? 'run' :
                        'ready',
          gw % W, f[0], place(f[1]),
          f[2]        ? 'waits' :
              running ? 'runs' :
                        '');
    }
  });
  function push(map, what, warp, mask, line, kind) {
    const partial = mask >>> 0 !== fullMask(warp), key = [what, line, partial ? warp + '/' + mask : ''].join('|');
    const item = map.get(key) || {what, line, kind, warps: [], partial: partial ? threads(warp, mask) : ''};
    item.warps.push(warp);
    map.set(key, item);
  }
  const verb = (what, plural) => what.replace(/^\w+/, first => T.verb(first, plural));
  fill(
      $('warps'),
      ...[...groups.values()].map(
          g =>
              el('li', {class: g.kind}, el('b', {}, g.partial || warpsText(g.warps)), ' ',
                 verb(g.what, g.partial ? /^(threads|\d)/.test(g.partial) : g.warps.length > 1),
                 g.line ? el('span', {class: 'line'}, ' ' + g.line) : null)));
}

// --- groups ----------------------------------------------------------------------------------------------------------

function queue(items, cut) {  // oldest first; the cut is what the last wait left pending
  const row = el('ol', {class: 'queue'});
  const line = () => el('li', {class: 'cut', title: T.queue.cutTitle}, cut.read ? T.queue.readCut(cut.n) : T.queue.cut(cut.n));
  let drawn = !cut;
  for (const g of items) {
    if (!drawn && (g.number >= cut.at || g.state === 'open')) {
      row.append(line());
      drawn = true;
    }
    row.append(el('li', {class: g.state, title: g.title}, g.label, el('small', {}, g.note)));
  }
  if (!drawn) row.append(line());
  if (!items.length) row.append(el('li', {class: 'none'}, T.queue.none));
  return row;
}
const fillNote = (list, empty) => {
  const s = list.map(i => steps[i]), bytes = s.reduce((n, x) => n + x.bytes, 0);
  return bytes ? `${bytes} B` : empty;
};
const targets = list => [...new Set(list.flatMap(i => partsOf(steps[i]).map(p => p.part.name)))].slice(0, 2).join(T.list);
function queueItems(q, bulk) {
  const list = bulk ? q.bulk : q.list, opened = bulk ? q.bulkOpen : q.open;
  const items = list.slice(-6).map(g => ({
                                     state: g.done       ? 'done' :
                                         !g.fills.length ? 'empty' :
                                         g.read          ? 'read' :
                                                           'flight',
                                     number: g.number,
                                     label: T.queue.group(g.number),
                                     note: [targets(g.fills), fillNote(g.fills, T.queue.empty)].filter(Boolean).join(' · '),
                                     title: T.queue.titles
                                                [g.done              ? 'done' :
                                                     !g.fills.length ? 'empty' :
                                                     g.read          ? 'read' :
                                                                       'flight'],
                                   }));
  if (opened.length)
    items.push({
      state: 'open',
      label: T.queue.open,
      note: [targets(opened), fillNote(opened, '')].filter(Boolean).join(' · '),
      title: T.queue.titles.open
    });
  return items;
}
function showGroups(t) {
  const body = [];
  for (const bulk of [false, true]) {
    const by = new Map();
    for (let w = 0; w < W; w++) {
      const q = t.queues[open.focus * W + w], items = queueItems(q, bulk);
      if (!items.length) continue;
      const cut = bulk ? q.bulkCut : q.cut, key = JSON.stringify([items.map(i => [i.state, i.label, i.note]), cut]);
      const known = by.get(key) || {items, cut, warps: []};
      known.warps.push(w);
      by.set(key, known);
    }
    for (const {items, cut, warps} of by.values())
      body.push(
          el('div', {class: 'row'}, el('span', {class: 'label'}, warpsText(warps), el('small', {}, bulk ? T.queue.bulk : 'cp.async')),
             queue(items, cut)));
  }
  const any = steps.some(s => s.kind === 'commit' || s.kind === 'bulk_commit' || s.kind === 'copy');
  $('groups').hidden = !any;
  fill($('groups-body'), ...(body.length ? body : [el('p', {class: 'quiet'}, T.queue.nobody)]));
}

// --- barriers --------------------------------------------------------------------------------------------------------

function arrivedText(list) {
  const by = new Map();
  for (const [gw, mask] of list) by.set(gw, (by.get(gw) || 0) + popcount(mask));
  const full = [...by].filter(([gw, n]) => n >= popcount(fullMask(gw % W))).map(([gw]) => gw % W).sort((a, b) => a - b);
  const some = [...by].filter(([gw, n]) => n < popcount(fullMask(gw % W))).map(([gw, n]) => T.bars.someOf(n, gw % W));
  if (many && list.some(([gw]) => Math.floor(gw / W) !== Math.floor(list[0][0] / W))) return T.bars.several(by.size);
  return [full.length ? warpsText(full) : '', ...some].filter(Boolean).slice(0, 4).join(T.list) || T.bars.nobody;
}
function meter(done, all, label) {
  const m = el('span', {class: 'meter', role: 'img', 'aria-label': label});
  m.append(el('i', {style: `width:${all ? Math.round(100 * Math.min(1, done / all)) : 0}%`}));
  return m;
}
function showBarriers(t) {
  const cards = [];
  for (const name in t.bars) {
    const b = t.bars[name];
    const cluster = b.id < 0;
    if (cluster ? name !== clusterBar(open.focus) : b.block !== open.focus) continue;
    const n = b.arrived.reduce((sum, [, m]) => sum + popcount(m), 0), all = cluster ? R.threads * R.cluster : b.expected;
    cards.push(
        el('div', {class: 'card'}, el('h3', {}, T.upper(barName(b.id).trim()), el('small', {}, cluster ? '' : 'bar.sync')),
           meter(n, all, T.bars.meter(n, all)), el('p', {}, T.bars.threads(n, all, b.over)),
           el('p', {class: 'quiet'}, T.bars.arrived + arrivedText(b.arrived))));
  }
  for (const m of t.mbarriers) {
    if (!m.live || m.block !== open.focus) continue;
    const done = Math.max(0, m.expected - m.pending), wait = [];
    t.warps.forEach((w, gw) => {
      for (const f of w.fragments)
        if (f[2] === 4 && f[3] >= 0 && R.barriers[f[3]][0] === m.name && R.barriers[f[3]][1] === m.block) wait.push(gw % W);
    });
    cards.push(
        el('div', {class: 'card mbar' + (m.tx < 0 ? ' odd' : '')}, el('h3', {}, barrierName(m.name), el('small', {}, 'mbarrier')),
           el('p', {class: 'phase'}, el('span', {class: 'parity p' + (m.phase & 1)}, T.bars.phase(m.phase)), T.bars.parity(m.phase & 1)),
           meter(done, m.expected, T.bars.arrivals(done, m.expected)), el('p', {}, T.bars.pending(m.pending, m.expected)),
           m.tx || m.copies.length ? el('p', {class: 'bytes'}, m.tx < 0 ? T.bars.odd(-m.tx) : T.bars.bytes(m.tx)) : null,
           el('p', {class: 'quiet'}, T.bars.arrived + arrivedText(m.arrived)),
           wait.length ? el('p', {class: 'waits'}, T.bars.wait(warpsText([...new Set(wait)]), new Set(wait).size === 1)) : null));
  }
  $('barriers').hidden = !steps.some(s => ['arrive', 'init'].includes(s.kind));
  fill($('barriers-body'), ...(cards.length ? cards : [el('p', {class: 'quiet'}, T.bars.none)]));
}
