// The finding: its two accesses, what lies between them, and the edge of the happens-before graph that is missing.
const findings = R.findings.filter(f => f.severity !== 'note');
let chosen = Math.max(0, findings.findIndex(f => f.step >= 0));
const current = () => findings[chosen];

const sync = new Set([
  'commit', 'wait_group', 'm_track', 'm_arrive', 'm_pass',   'bulk_commit', 'bulk_wait', 'fence',     'proxy_fence', 'cluster_pass',
  'landed', 'complete',   'arrive',  't_wait',   't_commit', 't_arrive',    't_fence',   'map_fence', 'map_copy',    'warp_sync'
]);
const shortText = s => {
  const text = T.short[s.kind] ? T.short[s.kind](s) : sentence(s);
  const most = window.innerWidth < 560 ? 34 : 48;
  return text.length > most ? text.slice(0, most - 1) + '…' : text;
};

// The lanes of a warp that take part in a step, which may be one of another warp: a barrier that completes.
function lanesIn(s, gw) {
  if (s.gw === gw) return s.mask;
  const at = s.kind === 'complete' ? s.threads.find(([b, w]) => global(b, w) === gw) : undefined;
  return at ? at[2] >>> 0 : 0;
}
function between(from, to, gw) {  // what a warp does to synchronise; the nearest to both ends
  const all = steps.filter(
      s => s.i > from && s.i < to && (sync.has(s.kind) || isFlag(s)) && lanesIn(s, gw) && !(s.kind === 'arrive' && s.number >= 0));
  return all.length <= 5 ? all : [...all.slice(0, 2), ...all.slice(-3)];
}
// The columns of the picture: the two threads, and between them other lanes of their warps that synchronise. What
// lane 0 does is not done by lane 1.
function columnsOf(f, a, b) {
  const lane = (s, thread) => (thread === undefined ? s.mask : (1 << thread % 32) >>> 0);
  const first = {gw: a.gw, mask: lane(a, f.other_thread), block: a.block, thread: f.other_thread},
        last = {gw: b.gw, mask: lane(b, f.thread), block: b.block, thread: f.thread};
  const same = first.gw === last.gw && first.mask === last.mask, others = [];
  for (const end of same ? [first] : [first, last])
    for (const s of between(a.i, b.i, end.gw)) {
      const mask = (lanesIn(s, end.gw) & ~(end.gw === first.gw ? first.mask : 0) & ~(end.gw === last.gw ? last.mask : 0)) >>> 0;
      const taken = lanesIn(s, end.gw) !== mask || others.some(c => c.gw === end.gw && (c.mask & mask));
      if (mask && !taken && others.length < 2) others.push({gw: end.gw, mask, block: end.block});
    }
  return same ? [first, ...others] : [first, ...others, last];
}
function ladder(f) {
  const a = steps[f.other], b = steps[f.step], columns = columnsOf(f, a, b), last = columns.length - 1;
  const same = a.gw === b.gw && columns[0].thread === f.thread && f.thread === f.other_thread, ends = same ? [0, 0] : [0, last];
  const inside = new Set([...between(a.i, b.i, a.gw), ...between(a.i, b.i, b.gw)]);
  const nodes =
      [
        {s: a, sides: [ends[0]], end: true},
        ...[...inside].map(s => ({s, sides: columns.map((c, i) => (lanesIn(s, c.gw) & c.mask ? i : -1)).filter(i => i >= 0)})),
        {s: b, sides: [ends[1]], end: true}
      ].filter(n => n.sides.length)
          .sort((x, y) => x.s.i - y.s.i || x.sides[0] - y.sides[0]);
  const narrow = window.innerWidth < 560, stagger = narrow && last > 0 ? 14 : 0, step = 30, top = 34 + stagger * last,
        height = top + step * nodes.length + 4, apart = [0, narrow ? 80 : 256, narrow ? 60 : 140, narrow ? 50 : 110][last],
        width = narrow ? 360 :
      last > 1         ? 620 :
                         540,
        x = columns.map((_, i) => 16 + i * apart);
  const svg = (tag, attributes, text) => {
    const e = document.createElementNS('http://www.w3.org/2000/svg', tag);
    for (const k in attributes) e.setAttribute(k, attributes[k]);
    if (text) e.textContent = text;
    return e;
  };
  const picture =
      svg('svg', {viewBox: `0 0 ${width} ${height}`, role: 'img', class: 'ladder', 'aria-label': T.edge.label(sentence(a), sentence(b))});
  const defs = svg('defs', {});
  const head = svg(
      'marker',
      {id: 'head', viewBox: '0 0 8 8', refX: 7, refY: 4, markerWidth: 11, markerHeight: 11, markerUnits: 'userSpaceOnUse', orient: 'auto'});
  head.append(svg('path', {d: 'M0 0L8 4L0 8z', class: 'head'}));
  defs.append(head);
  picture.append(defs);
  const y = nodes.map((_, i) => top + step * i + 12),
        name = c =>
            (c.thread === undefined ? threads(c.gw % W, c.mask) : T.thread(c.thread)) + (a.block === b.block ? '' : inBlock(c.block));
  columns.forEach((c, side) => {
    picture.append(svg('text', {x: side ? x[side] - 12 : 4, y: 16 + stagger * side, class: 'who'}, name(c)));
    const mine = nodes.map((n, i) => [n, i]).filter(([n]) => n.sides.includes(side)).map(([, i]) => y[i]);
    if (mine.length > 1) picture.append(svg('path', {class: 'order', d: `M${x[side]} ${mine[0]}V${mine[mine.length - 1]}`}));
  });
  // From the change of a flag to the read that sees it.
  nodes.forEach((n, i) => {
    if (!isFlag(n.s) || n.s.kind === 'write') return;
    const from = nodes.findLastIndex(
        (m, j) => j < i && isFlag(m.s) && m.s.kind !== 'read' && !(m.s.kind === 'atomic' && m.s.first) && spotOf(m.s) === spotOf(n.s));
    if (from >= 0 && nodes[from].s.gw !== n.s.gw)
      picture.append(svg('path', {class: 'seen', d: `M${x[nodes[from].sides[0]]} ${y[from]}L${x[n.sides[0]]} ${y[i]}`}));
  });
  nodes.forEach((n, i) => {
    const link = svg('a', {href: '#step=' + numberOf(n.s.i), class: n.end ? 'access' : 'sync'}), side = n.sides[0];
    link.append(svg('title', {}, T.stepNumber(numberOf(n.s.i)) + T.colon + sentence(n.s)));
    for (const other of n.sides.slice(1))
      link.append(svg('path', {class: 'order', d: `M${x[side]} ${y[i]}H${x[other]}`}), svg('circle', {cx: x[other], cy: y[i], r: 4}));
    link.append(
        svg('circle', {cx: x[side], cy: y[i], r: n.end ? 7 : 4}),
        svg('text', {x: x[n.sides[n.sides.length - 1]] + 14, y: y[i] + 4},
            shortText(n.s) + (n.s.place >= 0 ? '  :' + lineOf(n.s.place) : '')));
    picture.append(link);
  });
  const from = y[nodes.findIndex(n => n.s === a)], to = y[nodes.findIndex(n => n.s === b)];
  defs.after(svg('path', {
    class: 'missing',
    'marker-end': 'url(#head)',
    d: same ? `M${x[0] - 7} ${from + 6}C-2 ${from + 20} -2 ${to - 20} ${x[0] - 8} ${to - 4}` :
              `M${x[0] + 8} ${from + 8}L${x[last] - 8} ${to - 7}`
  }));
  return picture;
}
function showEdge() {
  const f = current();
  $('edge').hidden = !f;
  if (!f) return;
  const stands = isStandstill(f.step);
  $('edge-title').textContent = stands ? T.standstill.title : f.step >= 0 && f.other >= 0 ? T.edge.missing : T.edge.wrong;
  const parts = [];
  if (f.step >= 0 && f.other >= 0) parts.push(ladder(f), el('p', {class: 'legend'}, el('i', {class: 'dash'}), T.edge.legend));
  const rule = stands ? standstillRule(f) : T.rule(f);
  if (stands) parts.push(...standstill(f.step));
  parts.push(
      ...rule.told.map(text => el('p', {}, text)),
      el('p', {class: 'remedy'}, el('b', {}, f.other >= 0 ? T.edge.makes : T.edge.todo), rule.remedy));
  if (rule.original.length)
    parts.push(
        el('p', {class: 'legend'}, T.edge.original),
        el('div', {class: 'original', lang: 'en'}, ...rule.original.map(text => el('p', {}, text))));
  fill($('edge-body'), ...parts);
}
function showFindings() {
  $('findings').hidden = !findings.length;
  const boxes = findings.map((f, i) => {
    const at = f.first.file ? `${f.first.file.replace(/.*\//, '')}:${f.first.line}: ` : '';
    const box =
        el('div', {class: f.severity + (i === chosen ? ' chosen' : '')},
           el('p', {}, el('b', {}, T.edge.severity[f.severity] + T.colon + f.rule), ' ', el('span', {}, at + T.rule(f).title)));
    const buttons = el('p', {class: 'go'});
    const go = (step, text) => {
      const b = el('button', {'aria-label': `${text}, ${f.rule}`}, text);
      b.onclick = () => {
        chosen = i;
        showFindings();
        showEdge();
        show(step);
      };
      buttons.append(b, ' ');
    };
    if (f.other >= 0) go(f.other, T.edge.first(numberOf(f.other)));
    if (f.related >= 0) go(f.related, T.edge.related(numberOf(f.related)));
    if (f.step >= 0) go(f.step, (f.other >= 0 ? T.edge.second : T.edge.where)(numberOf(f.step)));
    if (f.step < 0) buttons.append(T.edge.notHere(f.near));
    box.append(buttons);
    return box;
  });
  const shown = new Set([...boxes.keys()].filter(i => i < 2 || i === chosen)), rest = boxes.filter((_, i) => !shown.has(i));
  fill(
      $('findings'), ...boxes.filter((_, i) => shown.has(i)),
      rest.length ? el('details', {}, el('summary', {}, T.edge.more(rest.length)), ...rest) : null);
}
