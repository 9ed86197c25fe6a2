// What the registers hold that a step's line uses, for the lane that is looked at.
let lane = -1;  // that the reader has chosen

function valueOf(held, s, mine) {  // of one lane: a row says the first value and the difference
  const [reg, how, ...values] = held;
  const at = lanes(s.mask).indexOf(mine);
  if (!(how & 2)) return values[at];
  return values.length > 1 ? values[0] + at * values[1] : values[0];
}
function registerRow(held, s, mine) {
  const [name, variable, kind, bytes] = R.registers[held[0]], value = valueOf(held, s, mine);
  const hex = kind === 0 && Number.isInteger(value) && Math.abs(value) > 9 ?
      ' = 0x' + (value < 0 && bytes === 4 ? value >>> 0 : value).toString(16) :
      '';
  return el(
      'tr', {}, el('td', {}, variable ? el('code', {}, variable) : T.registers.unknown), el('td', {}, el('code', {}, name)),
      el('td', {}, held[1] & 1 ? T.registers.written : T.registers.read), el('td', {class: 'value'}, value + hex));
}
function showRegisters(s) {
  $('registers').hidden = !R.registers.length;
  if (!R.registers.length) return;
  const absent = (R.absent || {})[s.place] || [];
  if (s.gw < 0 || !s.values.length)
    return fill($('registers-body'), el('p', {class: 'quiet'}, T.registers.none + (R.registers_left_out ? T.gap + T.registers.cut : '')));
  const all = lanes(s.mask), mine = all.includes(lane) ? lane : all[0];
  const choice = el('select', {'aria-label': T.registers.lane});
  for (const one of all)
    choice.append(el('option', one === mine ? {value: one, selected: ''} : {value: one}, T.registers.lane + ' ' + one));
  choice.onchange = () => {
    lane = +choice.value;
    showRegisters(s);
  };
  const {variable, register, value} = T.registers, head = [variable, register, '', value];
  fill(
      $('registers-body'), el('p', {class: 'quiet'}, T.registers.of(32 * s.warp + mine, s.warp, mine), ' ', choice),
      el('table', {}, el('tr', {}, ...head.map(text => el('th', {scope: 'col'}, text))),
         ...s.values.map(held => registerRow(held, s, mine))),
      ...absent.map(
          ([name, away]) => el('p', {class: 'quiet'}, el('code', {}, name), T.colon, away ? T.registers.away : T.registers.elsewhere)));
}
