// The finding: its two accesses, what lies between them, and the edge of the happens-before graph that is missing.
const findings = R.findings.filter(f => f.severity !== 'note');
let chosen = Math.max(0, findings.findIndex(f => f.step >= 0));
const current = () => findings[chosen];

const sync = new Set([
  'commit', 'wait_group', 'm_track', 'm_arrive', 'm_pass', 'bulk_commit', 'bulk_wait', 'fence', 'proxy_fence', 'cluster_pass', 'landed',
  'complete', 'arrive', 'map_fence', 'map_copy'
]);
const shortText = s => {
  const text = T.short[s.kind] ? T.short[s.kind](s) : sentence(s);
  const most = window.innerWidth < 560 ? 34 : 48;
  return text.length > most ? text.slice(0, most - 1) + '…' : text;
};

function between(from, to, gw) {  // what a warp does to synchronise; the nearest to both ends
  const all = steps.filter(
      s => s.i > from && s.i < to && sync.has(s.kind) &&
          (s.gw === gw || (s.kind === 'complete' && s.threads.some(([b, w]) => global(b, w) === gw))) &&
          !(s.kind === 'arrive' && s.number >= 0));
  return all.length <= 5 ? all : [...all.slice(0, 2), ...all.slice(-3)];
}
function ladder(f) {
  const a = steps[f.other], b = steps[f.step], sameWarp = a.gw === b.gw, same = sameWarp && f.thread === f.other_thread;
  const left = between(a.i, b.i, a.gw), right = sameWarp ? [] : between(a.i, b.i, b.gw);
  const nodes = [
    {s: a, side: 0, end: true}, ...left.map(s => ({s, side: s.kind === 'complete' && right.includes(s) ? 2 : 0})),
    ...right.filter(s => !left.includes(s)).map(s => ({s, side: 1})), {s: b, side: same ? 0 : 1, end: true}
  ].sort((x, y) => x.s.i - y.s.i || x.side - y.side);
  const step = 30, top = 34, height = top + step * nodes.length + 4, narrow = window.innerWidth < 560,
        x =
            [16,
             same       ? 16 :
                 narrow ? 96 :
                          272];
  const svg = (tag, attributes, text) => {
    const e = document.createElementNS('http://www.w3.org/2000/svg', tag);
    for (const k in attributes) e.setAttribute(k, attributes[k]);
    if (text) e.textContent = text;
    return e;
  };
  const picture = svg(
      'svg',
      {viewBox: `0 0 ${narrow ? 360 : 540} ${height}`, role: 'img', class: 'ladder', 'aria-label': T.edge.label(sentence(a), sentence(b))});
  const defs = svg('defs', {});
  const head = svg(
      'marker',
      {id: 'head', viewBox: '0 0 8 8', refX: 7, refY: 4, markerWidth: 11, markerHeight: 11, markerUnits: 'userSpaceOnUse', orient: 'auto'});
  head.append(svg('path', {d: 'M0 0L8 4L0 8z', class: 'head'}));
  defs.append(head);
  picture.append(defs);
  const y = nodes.map((_, i) => top + step * i + 12),
        name = (s, t) => (t === undefined ? threads(s.warp, s.mask) : T.thread(t)) + (a.block === b.block ? '' : inBlock(s.block));
  picture.append(svg('text', {x: 4, y: 16, class: 'who'}, name(a, f.other_thread)));
  if (!same) picture.append(svg('text', {x: narrow ? 180 : x[1] - 12, y: 16, class: 'who'}, name(b, f.thread)));
  for (const side of same ? [0] : [0, 1]) {
    const mine = nodes.map((n, i) => [n, i]).filter(([n]) => n.side === side || n.side === 2).map(([, i]) => y[i]);
    if (mine.length > 1) picture.append(svg('path', {class: 'order', d: `M${x[side]} ${mine[0]}V${mine[mine.length - 1]}`}));
  }
  nodes.forEach((n, i) => {
    const link = svg('a', {href: '#step=' + numberOf(n.s.i), class: n.end ? 'access' : 'sync'}), side = n.side === 1 ? 1 : 0;
    link.append(svg('title', {}, T.stepNumber(numberOf(n.s.i)) + T.colon + sentence(n.s)));
    if (n.side === 2) link.append(svg('path', {class: 'order', d: `M${x[0]} ${y[i]}H${x[1]}`}), svg('circle', {cx: x[1], cy: y[i], r: 4}));
    link.append(
        svg('circle', {cx: x[side], cy: y[i], r: n.end ? 7 : 4}),
        svg('text', {x: x[side] + 14, y: y[i] + 4}, shortText(n.s) + (n.s.place >= 0 ? '  :' + lineOf(n.s.place) : '')));
    picture.append(link);
  });
  const from = y[nodes.findIndex(n => n.s === a)], to = y[nodes.findIndex(n => n.s === b)];
  defs.after(svg('path', {
    class: 'missing',
    'marker-end': 'url(#head)',
    d: same ? `M${x[0] - 7} ${from + 6}C-2 ${from + 20} -2 ${to - 20} ${x[0] - 8} ${to - 4}` :
              `M${x[0] + 8} ${from + 8}L${x[1] - 8} ${to - 7}`
  }));
  return picture;
}
function showEdge() {
  const f = current();
  $('edge').hidden = !f;
  if (!f) return;
  $('edge-title').textContent = f.step >= 0 && f.other >= 0 ? T.edge.missing : T.edge.wrong;
  const parts = [];
  if (f.step >= 0 && f.other >= 0) parts.push(ladder(f), el('p', {class: 'legend'}, el('i', {class: 'dash'}), T.edge.legend));
  const rule = T.rule(f);
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
