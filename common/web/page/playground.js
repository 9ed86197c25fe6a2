// The playground's part of a page: switches, the kernel's text, the report, the timeline and the stepper. Each change runs
// the kernel again in a worker (playground-worker.js). Every answer is also sent to the page as an event "playground-answer", whose
// detail has the answer, the request and the source, so that other scripts can show more of it.
(() => {
  'use strict';
  const boxes = [...document.querySelectorAll('.playground')];
  if (!boxes.length) return;
  const base = new URL(JSON.parse(document.getElementById('__config').textContent).base + '/', location.href);
  const here = new URL('playground/', base);
  const WORDS = {
    en: {
      schedule: 'schedule',
      seed: 'seed',
      report: 'Report',
      timeline: 'Timeline',
      stepper: 'Step through it',
      from: 'first step',
      alone: 'Open it alone',
      nothing: 'This run has no steps.',
      ptx: 'PTX',
      loading: 'The simulated device is loading …',
      running: 'running …',
      stop: 'Stop',
      run: 'Run',
      stopped: 'Stopped.',
      clean: 'Nothing to report.',
      source: 'The kernel',
      launch: 'Launch (JSON)',
      start: 'Start from',
      lazy: 'lazy: copies complete as late as allowed',
      eager: 'eager: copies complete at once',
      random: 'random',
      none: 'This run has no timeline.',
      text: 'Source (.cu), optional: reports quote it',
      output: 'The kernel printed:',
      verdicts: {
        passed: 'correct',
        hazard: 'hazard',
        wrong: 'wrong result',
        failed: 'failed',
        incomplete: 'not judged completely',
        'not-supported': 'not supported',
        problem: 'cannot run'
      },
      result: r => r.wrong ?
          `${r.buffer}: ${r.wrong} of ${r.of} elements are wrong; ${r.buffer}[${r.index}] is ${r.found}, expected ${r.expected}` :
          `${r.buffer}: all ${r.of} elements are right`,
      counted: (a, ms) => `${a.instructions.toLocaleString('en')} thread-instructions in ${ms.toFixed(0)} ms`,
    },
    zh: {
      schedule: '调度',
      seed: '种子',
      report: '报告',
      timeline: '时间线',
      stepper: '逐步查看',
      from: '第一步',
      alone: '单独打开',
      nothing: '这次运行没有可以查看的步。',
      ptx: 'PTX',
      loading: '正在加载模拟设备……',
      running: '运行中……',
      stop: '停止',
      run: '运行',
      stopped: '已停止。',
      clean: '没有可报告的问题。',
      source: 'kernel',
      launch: '启动参数（JSON）',
      start: '从这里开始',
      lazy: 'lazy：拷贝尽可能晚完成',
      eager: 'eager：拷贝立即完成',
      random: 'random：随机',
      none: '这次运行没有时间线。',
      text: '源代码（.cu），可选：报告会引用它',
      output: 'kernel 的输出：',
      verdicts: {
        passed: '正确',
        hazard: '有错误',
        wrong: '结果错误',
        failed: '失败',
        incomplete: '未能完全判断',
        'not-supported': '不支持',
        problem: '无法运行'
      },
      result: r => r.wrong ?
          `${r.buffer}：${r.of} 个元素中有 ${r.wrong} 个错误；${r.buffer}[${r.index}] 是 ${r.found}，应为 ${r.expected}` :
          `${r.buffer}：${r.of} 个元素全部正确`,
      counted: (a, ms) => `${a.instructions.toLocaleString('zh')} 条线程指令，用时 ${ms.toFixed(0)} 毫秒`,
      severity: {error: '错误', warning: '警告', note: 'note'},
      original: '报告原文（英文）：',
    },
  };

  const element = (name, properties = {}, ...children) => {
    const made = Object.assign(document.createElement(name), properties);
    made.append(...children);
    return made;
  };
  const unpacked = async name => {
    const answer = await fetch(new URL(name, here));
    if (!answer.ok) throw new Error(`${name}: ${answer.status}`);
    return new Response(answer.body.pipeThrough(new DecompressionStream('gzip'))).json();
  };

  // What formulas may name: the kernel's numbers and the switches that have numbers.
  const numbersOf = (data, value) => Object.fromEntries(
      [...data.numbers, ...data.controls.filter(one => typeof one.values[0] === 'number')].map(one => [one.name, Number(value(one))]));
  const started = one => one.start ?? one.values[0];

  // One worker for the page. A request replaces the one before it.
  class Device {
    constructor() {
      this.number = 0;
      this.start();
    }
    start() {
      this.worker = new Worker(new URL('playground-worker.js', here));
      this.worker.onmessage = ({data}) => {
        this.busy = false;
        if (data.id === this.number)
          this.done(data);
        else
          this.send();
      };
      this.busy = false;
    }
    run(files, request) {
      this.number++;
      this.next = {id: this.number, files, request};
      return new Promise(done => {
        this.done = done;
        if (!this.busy) this.send();
      });
    }
    send() {
      this.busy = true;
      this.worker.postMessage(this.next);
    }
    stop() {
      this.worker.terminate();
      this.number++;
      this.start();
    }
  }
  // It is compiled while the first kernel is on its way.
  const device = new Device();

  // The stepper's page, in which a recording is put; fetched when the first one is opened.
  let stepper;
  const stepperPage = async (title, language, recording) => {
    stepper ||= fetch(new URL('stepper.html', here)).then(answer => {
      if (!answer.ok) throw new Error(`stepper.html: ${answer.status}`);
      return answer.text();
    });
    const text = {
      title: title.replace(/[&<>]/g, c => `&#${c.charCodeAt(0)};`),
      language,
      recording: recording.replace(/<\//g, '<\\/').replace(/<!--/g, '<\\u0021--')
    };
    return (await stepper).replace(/\{\{(title|language|recording)\}\}/g, (_, name) => text[name]);
  };

  class Playground {
    constructor(box) {
      this.box = box;
      this.language = box.lang || 'en';
      this.words = WORDS[this.language];
      this.controls = {};
      this.status = element('span', {className: 'playground-status', role: 'status'}, this.words.loading);
      this.stop = element(
          'button', {
            type: 'button',
            hidden: true,
            onclick: () => {
              device.stop();
              this.finished(this.words.stopped);
            }
          },
          this.words.stop);
      this.form = element('form', {
        className: 'playground-controls',
        onsubmit: event => {
          event.preventDefault();
          this.run();
        }
      });
      this.source = element('div', {className: 'playground-source'});
      this.verdict = element('strong', {className: 'playground-verdict'});
      this.explained = element('div', {className: 'playground-explained', hidden: true});
      this.report = element('pre', {className: 'playground-report', tabIndex: 0});
      this.picture = element('div', {className: 'playground-timeline'});
      this.timeline =
          element('details', {ontoggle: () => this.timeline.open && this.run()}, element('summary', {}, this.words.timeline), this.picture);
      this.steps = element('div', {className: 'playground-steps'});
      this.first = element('input', {type: 'number', min: 1, value: 1, onchange: () => this.run()});
      this.stepper = element(
          'details', {className: 'playground-stepper', ontoggle: () => this.stepper.open && this.run()},
          element('summary', {}, this.words.stepper), this.steps);
      this.more = element('div', {className: 'playground-more'});
    }

    control(name, label, input) {
      this.controls[name] = input;
      this.form.append(element('label', {}, element('span', {}, label), input));
    }
    choice(name, label, values, labels, start) {
      this.control(
          name, label,
          element(
              'select', {onchange: () => this.run()},
              ...values.map((value, i) => element('option', {value, selected: String(value) === String(start)}, String(labels[i])))));
    }
    slider(name, label, least, most, start) {
      const shown = element('output', {}, start);
      const input = element('input', {
        type: 'range',
        min: least,
        max: most,
        value: start,
        oninput: () => {
          shown.textContent = input.value;
          this.run();
        }
      });
      this.control(name, label, input);
      input.after(shown);
    }
    usual(schedule = 'lazy') {
      const names = ['lazy', 'eager', 'random'];
      this.choice('schedule', this.words.schedule, names, names.map(name => this.words[name]), schedule);
      this.control('seed', this.words.seed, element('input', {type: 'number', min: 1, value: 1, onchange: () => this.run()}));
    }
    word(record, key) {
      return record[this.language === 'en' ? key : `${key}_${this.language}`] || record[key];
    }

    show() {
      this.box.replaceChildren(
          this.form, element('p', {}, this.verdict, ' ', this.status, ' ', this.stop),
          element('div', {className: 'playground-both'}, this.source, element('div', {}, this.explained, this.report)), this.more,
          this.stepper, this.timeline);
    }

    finished(text) {
      this.status.textContent = text;
      this.stop.hidden = true;
      clearTimeout(this.slow);
    }

    async ask(files, request, source) {
      if (this.answered) this.status.textContent = this.words.running;
      clearTimeout(this.slow);
      this.slow = setTimeout(() => {
        this.stop.hidden = !this.answered;
      }, 1000);
      const {answer, milliseconds} = await device.run(
          files, {...request, timeline: this.timeline.open, stepper: this.stepper.open, first_step: Math.max(0, this.first.value - 1)});
      this.answered = true;
      this.box.dataset.verdict = answer.verdict;
      this.verdict.textContent = this.words.verdicts[answer.verdict];
      this.verdict.dataset.verdict = answer.verdict;
      this.finished(answer.instructions === undefined ? '' : this.words.counted(answer, milliseconds));
      await this.explain(answer.findings || []);
      this.showAnswer(answer);
      this.mark(answer, source);
      if (this.timeline.open) this.draw(answer.timeline);
      if (this.stepper.open) await this.step(answer.steps, request.title || source.file.slice(1));
      this.box.dispatchEvent(new CustomEvent('playground-answer', {bubbles: true, detail: {answer, request, source}}));
    }

    get hazards() {
      return new URL(this.language === 'zh' ? 'docs/zh/hazards.html' : 'docs/hazards.html', base);
    }

    // In another language than that of the report: what its rules say.
    async explain(findings) {
      this.explained.hidden = this.language === 'en' || !findings.length;
      if (this.explained.hidden) return;
      this.rules ||= await unpacked(`rules_${this.language}.json.gz`);
      const known = [...new Map(findings.map(finding => [finding.rule, finding])).values()].filter(({rule}) => this.rules[rule]);
      this.explained.replaceChildren(
          ...known.map(
              ({rule, severity}) => element(
                  'p', {className: severity},
                  element('b', {}, `${this.words.severity[severity]}：`, element('a', {href: `${this.hazards}#${rule}`}, rule)),
                  ` ${this.rules[rule].title}。${this.rules[rule].remedy}`)),
          element('p', {}, this.words.original));
    }

    showAnswer(answer) {
      const parts = [];
      if (answer.verdict === 'problem')
        parts.push(answer.message, answer.next);
      else {
        parts.push(answer.report || (answer.message ? '' : this.words.clean));
        if (answer.message && !(answer.report || '').includes(answer.message)) parts.push(answer.message);
        parts.push(...answer.results.map(this.words.result));
        if (answer.output) parts.push(`${this.words.output}\n${answer.output}`);
      }
      const text = parts.filter(part => part).join('\n\n').replace(/\n\n\n+/g, '\n\n');
      const rules = new Set((answer.findings || []).map(finding => finding.rule));
      // The names of rules lead to their explanations.
      this.report.replaceChildren(...text.split(/(?<![\w-])([a-z]+(?:-[a-z]+)+|deadlock)(?![\w-])/)
                                      .map(part => rules.has(part) ? element('a', {href: `${this.hazards}#${part}`}, part) : part));
    }

    mark(answer, source) {
      const marks = new Map();
      for (const finding of answer.findings || []) {
        for (const place of finding.others)
          if (place.file === source.file && !marks.has(place.line)) marks.set(place.line, ['other', place.action]);
        if (finding.first.file === source.file) marks.set(finding.first.line, [finding.severity, `${finding.rule}: ${finding.message}`]);
      }
      this.source.replaceChildren(...source.text.replace(/\n$/, '').split('\n').map((line, i) => {
        const [kind, title] = marks.get(i + 1) || ['', ''];
        return element('div', {className: `line ${kind}`, title}, element('span', {className: 'number'}, String(i + 1)), line + '\n');
      }));
    }

    draw(page) {
      if (!page) return this.picture.replaceChildren(element('p', {}, this.words.none));
      const frame = element('iframe', {srcdoc: page, title: this.words.timeline});
      frame.onload = () => {
        frame.style.height = `${frame.contentDocument.documentElement.scrollHeight + 20}px`;
      };
      this.picture.replaceChildren(frame);
    }

    async step(recording, title) {
      const {steps = [], skipped, left_out: left} = recording ? JSON.parse(recording) : {};
      if (!steps.length) return this.steps.replaceChildren(element('p', {}, this.words.nothing));
      URL.revokeObjectURL(this.page);
      this.page = URL.createObjectURL(new Blob([await stepperPage(title, this.language, recording)], {type: 'text/html'}));
      this.first.max = skipped + steps.length + left;
      this.steps.replaceChildren(
          element(
              'p', {}, ...(skipped || left ? [element('label', {}, this.words.from, ' ', this.first), ' '] : []),
              element('a', {href: this.page, target: '_blank'}, this.words.alone)),
          element('iframe', {src: this.page, title: this.words.stepper}));
    }

    run() {
      this.go().catch(problem => this.finished(String(problem)));
    }
  }

  // A kernel of a chapter, compiled in all its variants when the site was made.
  class Chapter extends Playground {
    async open(name) {
      this.data = await unpacked(`${name}.json.gz`);
      for (const one of this.data.controls) {
        const labels = this.word(one, 'labels') || one.values;
        if (one.values.every(value => typeof value === 'number') && one.values.at(-1) - one.values[0] === one.values.length - 1)
          this.slider(one.name, this.word(one, 'label'), one.values[0], one.values.at(-1), started(one));
        else
          this.choice(one.name, this.word(one, 'label'), one.values, labels, started(one));
      }
      for (const one of this.data.numbers) this.slider(one.name, this.word(one, 'label'), one.least, one.most, one.start);
      this.usual();
      this.show();
      await this.go();
    }
    go() {
      const chosen = name => this.controls[name].value;
      const [text, ptx] = this.data.variants[this.data.controls.map(one => chosen(one.name)).join(',')];
      const source = {file: this.data.file, text: this.data.sources[text]};
      const numbers = numbersOf(this.data, one => chosen(one.name));
      if (!this.answered) this.mark({}, source);
      return this.ask(
          {[source.file]: source.text}, {
            ...this.data.launch,
            numbers,
            ptx: this.data.ptx[ptx],
            schedule: chosen('schedule'),
            seed: Number(chosen('seed')),
            title: this.data.file.slice(1)
          },
          source);
    }
  }

  // Any PTX, with a description of its launch.
  class Pasted extends Playground {
    async open(names) {
      this.area = (name, rows) => element('textarea', {rows, spellcheck: false, wrap: 'off', ariaLabel: this.words[name]});
      [this.ptx, this.launch, this.text] = [this.area('ptx', 14), this.area('launch', 14), this.area('text', 14)];
      this.choice('example', this.words.start, names, names, names[0]);
      this.controls.example.onchange = () => this.example();
      this.usual();
      this.controls.schedule.onchange = this.controls.seed.onchange = null;
      this.form.append(element('button', {}, this.words.run));
      this.show();
      const part = (name, area) => element('label', {}, this.words[name], area);
      this.form.after(
          element('div', {className: 'playground-inputs'}, part('ptx', this.ptx), part('launch', this.launch), part('text', this.text)));
      await this.example();
    }
    async example() {
      const data = await unpacked(`${this.controls.example.value}.json.gz`);
      const [text, ptx] = data.variants[data.controls.map(started).join(',')];
      this.ptx.value = data.ptx[ptx];
      this.text.value = data.sources[text];
      this.launch.value = JSON.stringify({...data.launch, numbers: numbersOf(data, started)}, null, 1);
      await this.go();
    }
    go() {
      const ptx = this.ptx.value;
      const file = ([...ptx.matchAll(/^\s*\.file\s+\d+\s+"([^"]+)"/gm)].map(found => found[1]).find(name => !name.includes('/include/'))) ||
          '/kernel.cu';
      const source = {file, text: this.text.value};
      let described;
      try {
        described = JSON.parse(this.launch.value);
      } catch (problem) {
        this.showAnswer({verdict: 'problem', message: String(problem), next: ''});
        return Promise.resolve();
      }
      return this.ask(
          source.text.trim() ? {[file]: source.text} : {},
          {...described, ptx, schedule: this.controls.schedule.value, seed: Number(this.controls.seed.value)}, source);
    }
  }

  for (const box of boxes) {
    const failed = problem => {
      box.append(element('p', {className: 'playground-failed'}, String(problem)));
    };
    if (box.dataset.examples)
      new Pasted(box).open(box.dataset.examples.split(' ')).catch(failed);
    else
      new Chapter(box).open(box.dataset.kernel).catch(failed);
  }
})();
