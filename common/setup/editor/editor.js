// The editor on one's own machine: what is written runs when it is asked to, and is saved only when it is asked to.
const $ = id => document.getElementById(id);
const token = document.querySelector('meta[name=token]').content;
const chinese = document.documentElement.lang === 'zh';
const T = chinese ? {
  file: '文件',
  run: '编译并检查',
  save: '保存',
  step: '单步执行器',
  trace: '时间线',
  running: '正在编译和检查……',
  drawing: '正在绘制……',
  saved: '已保存',
  changed: '尚未保存',
  passes: '通过',
  fails: '未通过',
  points: (n, all) => `${n} / ${all} 分`,
  line: n => `第 ${n} 行`,
  leave: '改动尚未保存。放弃改动？'
} :
                    {
                      file: 'File',
                      run: 'Compile and check',
                      save: 'Save',
                      step: 'Stepper',
                      trace: 'Timeline',
                      running: 'compiling and checking …',
                      drawing: 'drawing …',
                      saved: 'saved',
                      changed: 'not saved',
                      passes: 'It passes',
                      fails: 'It does not pass',
                      points: (n, all) => `${n} of ${all} points`,
                      line: n => `line ${n}`,
                      leave: 'Your changes are not saved. Drop them?'
                    };
let name = '', onDisk = '', marks = new Map();

function el(tag, attributes, ...children) {
  const e = document.createElement(tag);
  for (const k in attributes) e.setAttribute(k, attributes[k]);
  e.append(...children.filter(c => c !== null && c !== undefined && c !== ''));
  return e;
}
async function ask(what, body) {
  const answer = await fetch(what, {
    method: 'POST',
    headers: {'X-Lab-Token': token, 'Content-Type': 'application/json'},
    body: JSON.stringify({language: chinese ? 'zh' : 'en', ...body})
  });
  const said = await answer.json();
  if (!answer.ok) throw new Error(said.problem);
  return said;
}
const dirty = () => $('text').value !== onDisk;
const state = text => {
  $('state').textContent = text || (dirty() ? T.changed : '');
};

function number() {
  const lines = $('text').value.split('\n').length, all = [];
  for (let i = 1; i <= lines; i++) all.push(el('div', marks.has(i) ? {class: marks.get(i)} : {}, String(i)));
  $('numbers').replaceChildren(...all);
  $('numbers').scrollTop = $('text').scrollTop;
}
function goTo(line) {
  const text = $('text'), lines = text.value.split('\n'), begin = lines.slice(0, line - 1).join('\n').length + (line > 1 ? 1 : 0);
  text.focus();
  text.setSelectionRange(begin, begin + (lines[line - 1] || '').length);
  text.scrollTop = Math.max(0, 20 * (line - 1) - text.clientHeight / 2);
}
function mark(findings) {
  const order = ['note', 'warning', 'error'];
  marks = new Map();
  for (const {line, severity} of findings)
    if (line && order.indexOf(severity) >= order.indexOf(marks.get(line) || '')) marks.set(line, severity);
  number();
}
function show(said) {
  const points = said.possible ? ', ' + T.points(said.points, said.possible) : '';
  $('verdict').replaceChildren(
      el('h2', {class: said.passed ? 'passed' : 'failed'}, (said.passed ? T.passes : T.fails) + points),
      said.cases && said.cases.length ? el('ul', {}, ...said.cases.map(text => el('li', {}, text))) : '',
      said.text ? el('pre', {}, said.text) : '');
  $('findings').replaceChildren(...said.findings.map(one => {
    const button = one.line ? el('button', {}, T.line(one.line)) : '';
    if (button) button.onclick = () => goTo(one.line);
    return el(
        'li', {class: one.severity}, el('b', {}, one.rule || one.severity), ' ', button, el('p', {}, one.message),
        one.remedy ? el('p', {}, one.remedy) : '');
  }));
  mark(said.findings);
  $('views').hidden = false;
  $('page').hidden = true;
}
async function guarded(text, work) {
  const buttons = document.querySelectorAll('button');
  buttons.forEach(b => b.disabled = true);
  state(text);
  try {
    await work();
    state();
  } catch (problem) {
    state(problem.message);
  }
  document.querySelectorAll('button').forEach(b => b.disabled = false);
}
const run = () => guarded(T.running, async () => show(await ask('run', {name, text: $('text').value})));
const save = () => guarded(T.saved, async () => {
  await ask('save', {name, text: $('text').value});
  onDisk = $('text').value;
});
const draw = what => () => guarded(T.drawing, async () => {
  const said = await ask('draw', {name, what});
  if (!said.page) throw new Error(said.text);
  $('page').title = T[what];
  $('page').src = `${said.page}?token=${token}&${Date.now()}`;
  $('page').hidden = false;
});
async function open(next) {
  const said = await ask('file', {name: next});
  name = next;
  onDisk = said.text;
  $('file').value = name;
  $('text').value = onDisk;
  $('verdict').replaceChildren();
  $('findings').replaceChildren();
  $('views').hidden = $('page').hidden = true;
  mark([]);
  state();
}

$('file-label').textContent = T.file;
for (const id of ['run', 'save', 'step', 'trace']) $(id).textContent = T[id];
$('run').onclick = run;
$('save').onclick = save;
$('step').onclick = draw('step');
$('trace').onclick = draw('trace');
$('text').oninput = () => {
  number();
  state();
};
$('text').onscroll = () => {
  $('numbers').scrollTop = $('text').scrollTop;
};
$('text').onkeydown = e => {
  if (e.key !== 'Tab' || e.shiftKey || e.ctrlKey) return;
  e.preventDefault();
  document.execCommand('insertText', false, '    ');  // as typed: it can be undone
};
$('file').onchange = () => {
  if (dirty() && !confirm(T.leave))
    $('file').value = name;
  else
    open($('file').value);
};
document.addEventListener('keydown', e => {
  if (!(e.ctrlKey || e.metaKey)) return;
  if (e.key === 'Enter') run();
  if (e.key === 's') {
    save();
    e.preventDefault();
  }
});
addEventListener('beforeunload', e => {
  if (dirty()) e.preventDefault();
});
(async () => {
  const {files, own} = await ask('files', {});
  for (const file of [...own, ...files.filter(f => !own.includes(f))]) $('file').append(el('option', {value: file}, file));
  await open(own[0] || files[0]);
})();
