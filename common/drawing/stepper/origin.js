// Where bytes come from: the step that put them into memory, the steps that its value comes from, and who has read them.
let looked = null;  // {block, begin, end}: bytes of shared memory that were clicked; null: those of the step itself

function look(block, span, share, per) {  // `per`: bytes of a cell
  const cell = Math.min(span.n - 1, Math.floor(share * span.n)), begin = Math.floor(span.begin + cell * per) & ~3;
  looked = {block, begin, end: Math.max(begin + 4, Math.floor(span.begin + (cell + 1) * per))};
  show(now, false, true);
}
const goTo = i => el('a', {href: '#step=' + numberOf(i)}, T.stepNumber(numberOf(i)));
const overlapsRange = (s, {begin, end}) => overlaps(s.ranges, begin, end);
const writesShared = s => !s.global && ['write', 'atomic', 'copy', 'bulk_load'].includes(s.kind);
const readsShared = s => !s.global && ['read', 'atomic', 'bulk_store', 'map_copy', 't_issue'].includes(s.kind);

function originOf(i, depth) {  // a step, and below it those that its bytes are made of
  const s = steps[i], from = s.from.filter(j => j < i);
  const line =
      el('li', {}, goTo(i), T.colon, sentence(s), s.map >= 0 && copyKinds.has(s.kind) ? T.origin.map(mapName(s.map)) : null,
         s.place >= 0 ? el('span', {class: 'line'}, ' ' + place(s.place)) : null);
  if (from.length && depth > 0) line.append(listOf(from, depth - 1));
  return line;
}
function listOf(list, depth) {
  const most = 6, all = el('ul', {}, ...list.slice(0, most).map(i => originOf(i, depth)));
  if (list.length > most) all.append(el('li', {}, T.origin.more(list.length - most)));
  return all;
}
function readersOf(bytes, since) {  // until the bytes are written again
  const all = [];
  for (let i = since + 1; i < steps.length; i++) {
    const s = steps[i];
    if (s.memory !== bytes.block || !overlapsRange(s, bytes)) continue;
    if (readsShared(s)) all.push(i);
    if (writesShared(s)) break;
  }
  return all;
}
function ofBytes(t, bytes) {
  const put = new Set();
  for (let word = bytes.begin >> 2; word < (bytes.end + 3) >> 2; word++) put.add(t.fill[bytes.block][word]);
  const writers = [...put].filter(i => i >= 0).sort((a, b) => a - b);
  const name = bytesText({ranges: [[bytes.begin, bytes.end]], memory: bytes.block, block: bytes.block});
  if (!writers.length) return [el('p', {}, T.origin.never(name))];
  const readers = readersOf(bytes, writers[writers.length - 1]);
  const links = readers.slice(0, 8).flatMap((i, n) => [n ? T.list : '', goTo(i), ` (${who(steps[i])})`]);
  if (readers.length > 8) links.push(T.list, T.origin.more(readers.length - 8));
  return [
    el('p', {}, T.origin.putBy(name)), listOf(writers, 3),
    readers.length ? el('p', {}, T.origin.readBy, ...links, T.stop) : el('p', {class: 'quiet'}, T.origin.unread)
  ];
}
function showOrigin(t, s) {
  const writes = ['write', 'atomic', 'bulk_store', 'copy', 'bulk_load', 't_issue', 't_access'].includes(s.kind);
  let body = [];
  if (looked && looked.block === open.focus)
    body = ofBytes(t, looked);
  else if (writes && s.from.length)
    body = [
      el('p', {},
         T.origin.madeOf(
             s.cells.length                          ? cellsText(s, 1) :
                 s.kind === 'bulk_store' || s.global ? globalName(s.text) || T.globalMemory :
                                                       bytesText(s))),
      listOf(s.from, 3)
    ];
  else if (s.kind === 'read' && !s.global && s.ranges.length)
    body = ofBytes(t, {block: s.memory, begin: s.ranges[0][0], end: Math.min(s.ranges[0][1], s.ranges[0][0] + 128)});
  $('origin').hidden = !body.length;
  fill($('origin-body'), ...body);
}
