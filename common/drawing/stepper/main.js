// Going through the steps.
let now = -1;
const ALL_STEPS = R.skipped + steps.length + R.left_out;
const LEFT = 34;  // pixels for the warps' names in the overview
const overview = $('overview'), slider = $('slider');
const css = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

function drawOverview() {  // a row for each warp, a mark for each step
  const width = overview.clientWidth, rowsShown = Math.min(ALL, 16), row = Math.max(5, Math.min(11, Math.floor(110 / rowsShown))),
        ratio = window.devicePixelRatio || 1;
  const height = row * rowsShown + 12;
  overview.style.height = height + 'px';
  overview.width = width * ratio;
  overview.height = height * ratio;
  const c = overview.getContext('2d');
  c.scale(ratio, ratio);
  const x = i => LEFT + (width - LEFT - 8) * (steps.length > 1 ? i / (steps.length - 1) : 0),
        w = Math.max(1.2, (width - LEFT - 8) / steps.length - 0.4);
  const y = gw => 4 + row * (gw % rowsShown), colours = {};
  for (const s of steps) {
    const name = colourOf[s.kind] || 'access';
    c.fillStyle = colours[name] || (colours[name] = css('--' + name));
    if (s.gw >= 0)
      c.fillRect(x(s.i) - w / 2, y(s.gw), w, row - 1.5);
    else if (s.kind === 'complete')
      c.fillRect(x(s.i) - 0.6, 3, 1.2, row * rowsShown);
    else
      c.fillRect(x(s.i) - w / 2, row * rowsShown + 5, w, 3);
  }
  c.fillStyle = css('--soft');
  c.font = '9px system-ui,sans-serif';
  c.textBaseline = 'middle';
  for (let gw = 0; gw < rowsShown; gw += row < 9 ? 2 : 1) c.fillText('w' + (gw % W), 4, y(gw) + row / 2);
  const f = current();
  if (f && f.step >= 0 && f.other >= 0) {
    c.strokeStyle = css('--hazard');
    c.lineWidth = 2;
    c.setLineDash([5, 3]);
    const a = steps[f.other], b = steps[f.step], at = s => [x(s.i), y(s.gw) + row / 2];
    c.beginPath();
    c.moveTo(...at(a));
    c.lineTo(...at(b));
    c.stroke();
    c.setLineDash([]);
    for (const s of [a, b]) {
      c.beginPath();
      c.arc(...at(s), 4.5, 0, 7);
      c.fillStyle = css('--paper');
      c.fill();
      c.stroke();
    }
  } else if (f && f.step >= 0) {
    const s = steps[f.step];
    c.strokeStyle = css('--hazard');
    c.lineWidth = 2;
    c.beginPath();
    c.arc(x(s.i), s.gw >= 0 ? y(s.gw) + row / 2 : row, 4.5, 0, 7);
    c.stroke();
  }
  c.strokeStyle = css('--ink');
  c.lineWidth = 1.5;
  c.beginPath();
  c.moveTo(x(now), 0);
  c.lineTo(x(now), height);
  c.stroke();
}
function pick(e) {
  const box = overview.getBoundingClientRect();
  show(Math.round((e.clientX - box.left - LEFT) / (box.width - LEFT - 8) * (steps.length - 1)));
}
overview.onpointerdown = e => {
  overview.setPointerCapture(e.pointerId);
  pick(e);
  overview.onpointermove = pick;
};
overview.onpointerup = overview.onpointercancel = () => {
  overview.onpointermove = null;
};

function show(i, fromFragment, keep) {
  if (!steps.length) return;
  i = Math.max(0, Math.min(steps.length - 1, i | 0));
  if (i !== now && !keep) looked = null;
  now = i;
  const s = steps[i], t = stateAt(i);
  if (s.gw >= 0 || s.kind === 'landed' || s.kind === 't_done') open.focus = copyKinds.has(s.kind) ? s.memory : s.block;
  const [what, meaning] = T.say[s.kind](s), effect = [meaning, ...changes(t, i)].filter(Boolean).join(T.gap);
  const f = current(), mark = f && i === f.step ? 'wrong' : f && i === f.other ? 'other' : '';
  $('now').className = mark;
  fill(
      $('what'),
      mark ? el('b', {class: 'tag'},
                T.tags
                    [mark === 'other' ? 'first' :
                         f.other >= 0 ? 'second' :
                                        'finding']) :
             null,
      T.upper(what.trim()) + T.stop, s.place >= 0 ? el('span', {class: 'line'}, ' ' + place(s.place)) : null);
  $('effect').textContent = mark === 'wrong' ? (f.other >= 0                      ? T.nothingOrders(numberOf(f.other), true) :
                                                    isStandstill(i)               ? T.standstill.seePanel :
                                                    s.text && s.kind === 'misuse' ? T.upper(meaning) :
                                                                                    T.rule(f).title + T.stop) :
      mark === 'other'                       ? T.nothingOrders(numberOf(f.step), false) :
                                               effect;
  slider.value = i + 1;
  slider.setAttribute('aria-valuetext', `${T.stepOf(numberOf(i), ALL_STEPS)}${T.colon}${sentence(s)}`);
  $('number').textContent = T.stepOf(numberOf(i), ALL_STEPS);
  showSource(t, s);
  showWarps(t, s);
  showRegisters(s);
  showMemory(t, s);
  showTensors(t, s);
  showOrigin(t, s);
  showFlags(t, s);
  showGroups(t);
  showBarriers(t);
  showMaps(t);
  drawOverview();
  document.body.dataset.step = numberOf(i);
  if (!fromFragment) {
    try {
      history.replaceState(null, '', '#step=' + numberOf(i));
    } catch (e) {
      location.hash = 'step=' + numberOf(i);
    }
  }
}
function changes(t, i) {  // of mbarriers, by this step
  const before = stateAt(i - 1).mbarriers;
  return steps[i]
      .barriers.filter(([m]) => before[m].live)
      .map(([m, pending, phase, expected,
             tx]) => phase !== before[m].phase ? T.phaseComplete(phase - 1, mbarrier(m)) : T.lacks(mbarrier(m), pending, tx));
}
function ofKind(direction) {
  const list = $('kind').value === 'all' ? null :
      $('kind').value === 'finding'      ? findings.flatMap(f => [f.other, f.step]) :
                                           kindGroups[+$('kind').value][1];
  for (let i = now + direction; i >= 0 && i < steps.length; i += direction)
    if (!list || ($('kind').value === 'finding' ? list.includes(i) : list.includes(steps[i].kind))) return show(i);
}
const go = {
  first: () => show(0),
  back: () => show(now - 1),
  forward: () => show(now + 1),
  last: () => show(steps.length - 1),
  earlier: () => ofKind(-1),
  later: () => ofKind(1),
};
for (const id in go) $(id).onclick = go[id];
slider.oninput = () => show(slider.value - 1);
document.addEventListener('keydown', e => {
  if (e.ctrlKey || e.metaKey || e.altKey || /SELECT|INPUT/.test(e.target.tagName || '') && e.target !== slider) return;
  const f = current(), far = e.shiftKey ? 10 : 1;
  const keys = {
    ArrowLeft: () => show(now - far),
    ArrowRight: () => show(now + far),
    Home: go.first,
    End: go.last,
    n: go.later,
    p: go.earlier,
    f: () => f && f.step >= 0 && show(f.step),
    o: () => f && f.other >= 0 && show(f.other),
  };
  if (keys[e.key]) {
    keys[e.key]();
    e.preventDefault();
  }
});
const asked = () => {
  const m = /^#step=(\d+)$/.exec(location.hash);
  return m ? Math.max(0, +m[1] - 1 - R.skipped) : -1;
};
window.addEventListener('hashchange', () => {
  if (asked() >= 0 && asked() !== now) show(asked(), true);
});
window.addEventListener('resize', drawOverview);
if (window.matchMedia) matchMedia('(prefers-color-scheme: dark)').addEventListener('change', drawOverview);

function translate() {  // the page itself is in English
  if (!T.page) return;
  for (const id in T.page.texts) $(id).textContent = T.page.texts[id];
  for (const id in T.page.titles) {
    const key = /\(.*\)/.exec($(id).title);
    $(id).setAttribute('aria-label', T.page.titles[id]);
    if ($(id).title) $(id).title = T.page.titles[id] + (key ? ' ' + key[0] : '');
  }
  document.querySelector('.keys').innerHTML = T.page.keys;
}
(function() {
const blocks = T.blocks(ranges(R.blocks));
translate();
document.body.classList.toggle('embedded', window.parent !== window);
$('about').textContent = T.about(blocks, W);
const cut = R.skipped || R.left_out;
fill(
    $('bounds'), T.bounds(R.skipped + 1, R.skipped + steps.length, ALL_STEPS, blocks),
    ...(cut && window.parent === window ? T.window(ALL_STEPS).map(part => (part.pop ? el(part[0], {}, part[1]) : part)) : []),
    R.skipped ? T.gap + T.bytesBefore : null);
const add = (value, text) => $('kind').append(el('option', {value}, text));
add('all', T.any);
if (findings.length) add('finding', T.findings);
kindGroups.forEach(([name, list], i) => {
  if (steps.some(s => list.includes(s.kind))) add(i, name);
});
slider.max = steps.length;
showFindings();
showEdge();
const f = current();
show(asked() >= 0 ? asked() : f && f.step >= 0 ? f.step : 0);
})();
