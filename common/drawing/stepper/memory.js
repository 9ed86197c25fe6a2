// Shared memory as its variables and stages: cells, each in the state of its bytes.
const states = R.skipped ? {...T.states, never: T.notYet} : T.states;
const CELLS = 64;
// Memory without a shape in the source is cut where copies begin.
const rows = (function() {
  const isBarrier = new Set(R.barriers.map(b => b[2] >> 2));
  const all = [];
  for (const part of parts) {
    if (isBarrier.has(part.begin >> 2) && part.bytes <= 8 * R.barriers.length + 8) continue;
    const cuts = new Set();
    if (part.element === 0 && part.bytes > 64)
      for (const list of regions(part))
        for (const cut of list) cuts.add(cut);
    const ends = [...cuts].filter(c => c > part.begin && c < part.begin + part.bytes).sort((a, b) => a - b);
    if (ends.length > 15) ends.length = 0;
    let begin = part.begin;
    for (const end of [...ends, part.begin + part.bytes]) {
      all.push({
        name: ends.length ? `${part.name || T.sharedMemory} + ${begin - part.begin}` : part.name || T.otherBytes,
        begin,
        bytes: end - begin,
        element: part.element,
        array: part.name.replace(/\[.*/, '')
      });
      begin = end;
    }
  }
  // An array of many rows is one picture.
  const merged = [];
  for (const row of all) {
    const last = merged[merged.length - 1], crowd = all.filter(r => r.array === row.array && r.element).length > 8;
    if (crowd && last && last.array === row.array && last.begin + last.bytes === row.begin) {
      last.bytes += row.bytes;
      last.element = 0;
      last.name = row.array;
    } else
      merged.push({...row});
  }
  const named = row => parts.some(p => p.name && p.begin < row.begin + row.bytes && p.begin + p.bytes > row.begin);
  return merged.filter(
      row => named(row) || steps.some(s => !s.global && s.ranges.some(([b, e]) => b < row.begin + row.bytes && e > row.begin)));
  function regions(part) {  // where copies of one group, or one bulk copy, begin and end
    const found = new Map();
    for (const s of steps) {
      if (!['copy', 'bulk_load', 'bulk_store'].includes(s.kind)) continue;
      const key = s.kind === 'copy' ? 'g' + s.place : s.i,
            inside = s.ranges.filter(([b]) => b >= part.begin && b < part.begin + part.bytes);
      if (!inside.length || s.kind === 'copy') continue;
      found.set(key, [inside[0][0], inside[inside.length - 1][1]]);
    }
    return found.values();
  }
})();
const rank = ['never', 'used', 'all', 'some', 'own', 'landed', 'flight'];

function cellStates(t, block, row) {
  const words = Math.max(1, row.bytes >> 2), cells = Math.min(CELLS, words), per = words / cells, known = new Map(), out = [];
  const fillOf = t.fill[block], readOf = t.read[block];
  for (let c = 0; c < cells; c++) {
    let worst = 'never', step = -1;
    for (let w = Math.floor(c * per); w < Math.floor((c + 1) * per) || w === Math.floor(c * per); w++) {
      const at = (row.begin >> 2) + w, i = fillOf[at];
      if (i < 0) continue;
      if (!known.has(i)) known.set(i, t.viewers(i));
      let state = known.get(i).state;
      const r = readOf[at];
      if ((state === 'all' || state === 'some') && r > i && handedOn(t, r)) state = 'used';
      if (step < 0 || rank.indexOf(state) >= rank.indexOf(worst)) {
        worst = state;
        step = i;
      }
    }
    out.push({state: worst, step});
  }
  return out;
}
function handedOn(t, r) {  // another warp is ordered after this read
  const reader = steps[r].gw;
  const kind = steps[r].kind;
  if (kind === 't_issue') return t.know.some((k, gw) => t.seenBy(r, gw));
  if (kind === 'bulk_store') return t.queues[reader].bulk.some(g => g.read && g.fills.includes(r));
  return t.know.some((k, gw) => gw !== reader && k.g[reader] >= r);
}
// Of what threads have written themselves: may copies out of it be issued?
const issuers = new Set(steps.filter(s => s.kind === 'bulk_store').map(s => s.gw));
function proxyText(t, spans) {
  const writes = [...new Set(spans.map(x => x.step).filter(i => i >= 0 && ['write', 'atomic'].includes(steps[i].kind)))];
  const mine = [...issuers].filter(gw => Math.floor(gw / W) === open.focus);
  if (!writes.length || !mine.length) return '';
  return writes.every(i => mine.some(gw => t.know[gw].f[steps[i].gw] >= i)) ? T.memory.fenced : T.memory.unfenced;
}
function touched(s, block) {  // bytes that the step itself uses
  if (s.global || s.memory !== block || !s.ranges.length) return null;
  return {
    ranges: s.ranges,
    kind: ['read', 'bulk_store', 'map_copy', 't_issue'].includes(s.kind) ? 'reads' :
        s.kind === 'landed'                                              ? 'lands' :
                                                                           'writes'
  };
}
const overlaps = (list, begin, end) => list.some(([b, e]) => b < end && e > begin);

function showMemory(t, s) {
  const block = open.focus, use = touched(s, block), present = new Set(), finding = current();
  const body = rows.map(row => {
    const cells = cellStates(t, block, row), per = row.bytes / cells.length;
    const strip = el('div', {class: 'strip', role: 'img'});
    const spans = [];
    cells.forEach((cell, c) => {
      const begin = row.begin + c * per, end = begin + per;
      const mine = use && overlaps(use.ranges, begin, end) ? use.kind : '';
      const bad = finding && finding.at !== undefined && finding.at >= begin && finding.at < end && R.blocks[block] === finding.owner;
      const last = spans[spans.length - 1];
      if (last && last.state === cell.state && last.step === cell.step && last.mine === mine && last.bad === bad) {
        last.n++;
        last.end = end;
      } else
        spans.push({...cell, mine, bad, n: 1, begin, end});
    });
    const sums = new Map();
    for (const span of spans) {
      present.add(span.state);
      sums.set(span.state, (sums.get(span.state) || 0) + span.n);
      const cell = el(
          'i', {class: span.state + ' ' + span.mine + (span.bad ? ' bad' : ''), style: `flex-grow:${span.n}`, title: title(t, row, span)});
      cell.onclick = e => look(block, span, e.offsetX / Math.max(1, cell.clientWidth), per);
      strip.append(cell);
    }
    strip.setAttribute(
        'aria-label',
        row.name + T.colon + [...sums].map(([state, n]) => `${Math.round(100 * n / cells.length)} % ${states[state][0]}`).join(T.list) +
            (use && spans.some(x => x.mine) ? T.memory.usesPart(T.memory.uses[use.kind]) : ''));
    return el(
        'div', {class: 'row'}, el('span', {class: 'label'}, row.name, el('small', {}, row.bytes + ' B')),
        el('div', {class: 'stack'}, strip, el('small', {class: 'state'}, stateText(t, sums, spans, cells.length) + proxyText(t, spans))));
  });
  $('memory').hidden = !rows.length;
  fill($('memory-body'), ...body);
  fill(
      $('memory-key'),
      ...Object.keys(states).map(
          k => el('li', {class: present.has(k) ? '' : 'absent', title: states[k][1]}, el('i', {class: k}), states[k][0])),
      el('li', {class: use ? '' : 'absent'}, el('i', {class: 'touch'}), T.memory.used));
}
function stateText(t, sums, spans, all) {  // "12 % in flight, the rest never written"
  const some = [...sums].filter(([state]) => state !== 'never').sort((a, b) => rank.indexOf(b[0]) - rank.indexOf(a[0]));
  if (!some.length) return states.never[0];
  const one = ([state, n]) => {
    const s = steps[spans.find(x => x.state === state).step];
    const what = state === 'some'                                   ? T.memory.visibleTo(warpsText(t.viewers(s.i).warps)) :
        state === 'flight' && s.kind === 'bulk_load' && s.what >= 0 ? T.memory.completesOn(mbarrier(s.what)) :
                                                                      states[state][0];
    return (n < all ? Math.max(1, Math.round(100 * n / all)) + ' % ' : '') + what;
  };
  return some.slice(0, 3).map(one).join(' · ') + (sums.has('never') ? T.memory.rest(states.never[0]) : '');
}
function title(t, row, span) {
  const a = row.element ? `[${Math.floor((span.begin - row.begin) / row.element)}…${Math.ceil((span.end - row.begin) / row.element) - 1}]` :
                          T.memory.bytesRange(Math.floor(span.begin - row.begin), Math.ceil(span.end - row.begin) - 1);
  return row.name + a + T.colon + states[span.state][0] +
      (span.step >= 0 ? `${T.list}${T.stepNumber(numberOf(span.step))}${T.colon}${sentence(steps[span.step])}` : '');
}
