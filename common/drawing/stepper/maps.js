// Tensor maps: their fields, and how far a change has come on its way to the copies that read them.
function wayOf(t, m, where) {  // [what has happened, does a copy see the newest contents?]
  const by = i => who(steps[i]), at = i => numberOf(i);
  if (where === 2) return [[T.maps.shared], null];
  if (m.changed < 0) return R.skipped && where === 1 ? [[T.maps.unchanged], null] : [[T.maps.host], true];
  if (m.released < 0) return [[T.maps.changed(by(m.changed), at(m.changed))], false];
  const said = [T.maps.released(by(m.released), at(m.released))];
  const good = m.acquired.filter(a => a.released >= 0 && t.know[steps[a.at].gw].g[steps[m.released].gw] >= m.released);
  for (const a of m.acquired.slice(-3)) said.push((good.includes(a) ? T.maps.acquired : T.maps.early)(by(a.at), at(a.at)));
  if (!m.acquired.length) said.push(T.maps.nobody);
  return [said, good.some(a => steps[a.at].block === open.focus)];
}
function showMaps(t) {
  const cards = [];
  t.maps.forEach((m, i) => {
    const [, where, block] = R.maps[i];
    if (!m.fields || (where === 2 && block !== open.focus)) return;
    const [said, fresh] = wayOf(t, m, where), changed = steps[t.at] && steps[t.at].maps.some(([n]) => n === i),
                 before = changed ? stateAt(t.at - 1).maps[i].fields : null;
    const rows = el('table', {class: 'fields'});
    R.map_fields.forEach(
        (name, f) => rows.append(
            el('tr', before && before[f] !== m.fields[f] ? {class: 'here'} : {}, el('th', {scope: 'row'}, name),
               el('td', {}, globalName(m.fields[f])))));
    if (m.used >= 0) said.push(T.maps.used(who(steps[m.used]), numberOf(m.used)));
    cards.push(
        el('div', {class: 'card map' + (fresh === false ? ' odd' : '')}, el('h3', {}, mapName(i), el('small', {}, T.maps.where[where])),
           fresh === null ? null :
                            el('p', {class: 'views'}, el('span', {class: 'view'}, `${T.maps.generic}${T.colon}${T.maps.current}`),
                               el('span', {class: 'view' + (fresh ? '' : ' stale')},
                                  `${T.maps.tensormap}${T.colon}${fresh ? T.maps.current : T.maps.stale}`)),
           ...said.map(text => el('p', {}, text)), rows));
  });
  $('maps').hidden = !R.maps.length;
  fill($('maps-body'), ...(cards.length ? cards : [el('p', {class: 'quiet'}, T.maps.never)]));
}
