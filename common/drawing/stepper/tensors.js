// Tensor Memory: columns from left to right, 16 lanes in a row, each cell in the state of its last access.
const tensorStates = R.skipped ? {...T.tensor.states, free: T.notYet} : T.tensor.states;
const lastColumn = steps.reduce((most, s) => s.cells.reduce((end, c) => Math.max(end, c[3] + c[4]), most), 32);
const shownColumns = 1 << Math.ceil(Math.log2(Math.min(lastColumn, COLUMNS)));  // no more than are ever used

function tensorCell(t, block, at) {  // {state, step}: the access that the state is of
  const made = t.made[block][at], used = t.used[block][at];
  if (t.owner[block][at] < 0 && made < 0) return {state: 'free', step: -1};
  if (made >= 0 && !(done.get(made) <= t.at)) return {state: 'flight', step: made};
  if (used >= 0 && !(done.get(used) <= t.at)) return {state: 'reading', step: used};
  if (made < 0) return {state: 'never', step: t.owner[block][at]};
  const warps = t.tensorViewers(made, block);
  return {state: warps === W ? 'all' : warps ? 'some' : 'landed', step: made};
}
function tensorSpans(t, block, group, s) {
  const uses = s.cells.filter(c => c[0] === block && c[1] < 16 * group + 16 && c[1] + c[2] > 16 * group), all = [], known = new Map();
  for (let c = 0; c < shownColumns; c++) {
    const at = group * COLUMNS + c, key = [t.owner[block][at], t.made[block][at], t.used[block][at]].join();
    if (!known.has(key)) known.set(key, tensorCell(t, block, at));
    const {state, step} = known.get(key);
    const use = uses.find(u => u[3] <= c && c < u[3] + u[4]), mine = use ? (use[5] ? 'writes' : 'reads') : '';
    const last = all[all.length - 1];
    if (last && last.state === state && last.step === step && last.mine === mine)
      last.end++;
    else
      all.push({state, step, mine, begin: c, end: c + 1});
  }
  return all;
}
function tensorRow(t, block, quarter, s, list, present) {
  const stack = el('div', {class: 'stack'});
  for (const group of [2 * quarter, 2 * quarter + 1]) {
    const strip = el('div', {class: 'strip', role: 'img'}), spans = tensorSpans(t, block, group, s);
    for (const span of spans) {
      present.add(span.state);
      if (span.state !== 'free') {
        const key = span.state + ' ' + span.step, known = list.get(key) || {...span, columns: new Set()};
        for (let c = span.begin; c < span.end; c++) known.columns.add(c);
        list.set(key, known);
      }
      const columns = T.tensor.cells(ranges([...Array(span.end - span.begin).keys()].map(c => c + span.begin)), '');
      strip.append(el('i', {
        class: span.state + ' ' + span.mine,
        style: `flex-grow:${span.end - span.begin}`,
        title: columns + T.colon + tensorStates[span.state][0] +
            (span.step >= 0 ? `${T.list}${T.stepNumber(numberOf(span.step))}${T.colon}${sentence(steps[span.step])}` : '')
      }));
    }
    strip.setAttribute(
        'aria-label',
        T.tensor.lanes(`${16 * group}–${16 * group + 15}`) + T.colon +
            spans.map(x => `${x.begin}–${x.end - 1} ${tensorStates[x.state][0]}`).join(T.list));
    stack.append(strip);
  }
  return el('div', {class: 'row quarter'}, el('span', {class: 'label'}, T.tensor.lanes(`${32 * quarter}–${32 * quarter + 31}`)), stack);
}
function showTensors(t, s) {
  $('tensors').hidden = !usesTensors;
  if (!usesTensors) return;
  const cluster = Math.floor(open.focus / R.cluster), present = new Set();
  const pair = R.blocks.map((_, b) => b).filter(b => Math.floor(b / R.cluster) === cluster && b >> 1 === open.focus >> 1);
  const cards = (R.cluster > 1 ? pair : [open.focus]).map(block => {
    const list = new Map(), rows = [0, 1, 2, 3].map(quarter => tensorRow(t, block, quarter, s, list, present));
    const notes = [...list.values()].sort((a, b) => Math.min(...a.columns) - Math.min(...b.columns)).slice(0, 8);
    return el(
        'div', {}, many ? el('h3', {}, T.tensor.block(R.blocks[block])) : null, ...rows, el('ul', {class: 'quiet'}, ...notes.map(n => {
          const by = steps[n.step], columns = ranges([...n.columns].sort((a, b) => a - b));
          return el('li', {}, T.tensor.note(columns, by, place(by.place)), T.colon, tensorStates[n.state][0], ' (', goTo(n.step), ')');
        })));
  });
  fill($('tensors-body'), el('p', {class: 'quiet'}, T.tensor.cells(`0–${shownColumns - 1}`, '')), el('div', {class: 'tensors'}, ...cards));
  fill(
      $('tensors-key'),
      ...Object.keys(tensorStates)
          .map(k => el('li', {class: present.has(k) ? '' : 'absent', title: tensorStates[k][1]}, el('i', {class: k}), tensorStates[k][0])));
}
