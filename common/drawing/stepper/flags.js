// Flags and counters in global memory: what a change of one publishes, and who has seen it.
function publishes(flag) {  // everything before it, what came before a fence, or nothing
  const s = steps[flag.raised];
  return s.order === 'r' || s.order === 'b' ? 'all' : flag.fence >= 0 && s.order ? 'fenced' : 'nothing';
}
function fenceAfter(i) {  // by the warp that has read the flag, so far
  for (let j = i + 1; j <= now; j++)
    if (steps[j].gw === steps[i].gw && steps[j].kind === 'fence') return j;
  return -1;
}
function acquiredBy(i) {  // how step i, which reads a flag, orders its thread after what the flag publishes
  const s = steps[i];
  if (s.order === 'a' || s.order === 'b') return T.flags.acquires;
  const fence = s.order ? fenceAfter(i) : -1;
  return fence >= 0 ? T.flags.fenceAcquires(numberOf(fence)) : s.order ? T.flags.relaxed : T.flags.weak;
}
function showFlags(t, s) {
  const cards = Object.keys(t.flags).map(spot => {
    const flag = t.flags[spot], here = s.global && spotOf(s) === spot, said = [];
    if (flag.raised < 0) {
      said.push(el('p', {class: 'quiet'}, T.flags.unchanged));
    } else {
      const how = publishes(flag);
      said.push(
          el('p', {class: how === 'nothing' ? 'waits' : ''}, goTo(flag.raised), T.colon, T.flags.raised(who(steps[flag.raised])),
             T.flags[how](how === 'fenced' ? numberOf(flag.fence) : 0)));
    }
    for (const i of flag.seen.slice(-3)) said.push(el('p', {}, goTo(i), T.colon, T.flags.seen(who(steps[i])), acquiredBy(i)));
    return el(
        'div', {class: 'card' + (here ? ' mbar' : '')}, el('h3', {}, globalName(flag.name), el('small', {}, T.globalMemory)), ...said);
  });
  $('flags').hidden = !spots.size;
  fill($('flags-body'), ...(cards.length ? cards.slice(-12) : [el('p', {class: 'quiet'}, T.flags.none)]));
}
