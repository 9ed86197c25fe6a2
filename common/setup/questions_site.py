"""The questions of a lab (labs/NN_name/questions.toml) as a page of the site that checks the answers in the browser."""

import html
import itertools
import json
import os
import re
import subprocess
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
RUNNER = ROOT / "build/common/runner/lab-runner"
WORDS = {
    "": {"title": "Questions", "check": "Check", "show": "Show the answer", "right": "Right.", "wrong": "No. Try again.", "answer": "The answer is",
         "again": "Other values", "ask": "The simulated device knows the answer: ./lab quiz", "lead": "Answer first, then read why. On the terminal: `./lab quiz {}`."},
    "zh": {"title": "问题", "check": "检查", "show": "显示答案", "right": "对。", "wrong": "不对，再试一次。", "answer": "答案是",
           "again": "换一组数值", "ask": "答案由模拟设备给出：./lab quiz", "lead": "先回答，再看解释。在终端上用 `./lab quiz {}`。"},
}
SCRIPT = """
for (const box of document.querySelectorAll('.question')) {
  const all = JSON.parse(box.querySelector('script').textContent), words = JSON.parse(document.querySelector('#quiz-words').textContent);
  let now;
  const part = name => box.querySelector('.' + name);
  const show = () => {
    now = all[Math.floor(Math.random() * all.length)];
    part('text').innerHTML = now.text;
    part('choices').innerHTML = now.choices.map((choice, i) => `<label><input type=radio name=${box.id} value="${i}"> ${choice}</label>`).join('');
    part('given').hidden = now.choices.length > 0;
    part('given').value = part('verdict').textContent = '';
    part('why').hidden = true;
  };
  const number = text => /^0x/i.test(text) ? parseInt(text, 16) : Number(text);
  const same = (given, right) => {
    if (now.choices.length) return given === right;
    const ours = given.trim().split(/[\\s,]+/), theirs = right.trim().split(/[\\s,]+/);
    return ours.length === theirs.length && ours.every((word, i) => word === theirs[i] ||
      (word !== '' && Math.abs(number(word) - number(theirs[i])) <= now.tolerance * Math.abs(number(theirs[i]))));
  };
  const reveal = text => { part('verdict').textContent = text; part('why').innerHTML = now.why; part('why').hidden = false; };
  part('check').onclick = event => {
    event.preventDefault();
    const picked = box.querySelector('input[type=radio]:checked'), given = now.choices.length ? picked && picked.value : part('given').value;
    if (given === null || given === '') return;
    if (same(given, now.answer)) reveal(words.right); else part('verdict').textContent = words.wrong;
  };
  part('show').onclick = event => {
    event.preventDefault();
    reveal(words.answer + ' ' + (now.choices.length ? box.querySelectorAll('label')[Number(now.answer)].textContent.trim() : now.answer));
  };
  part('again').onclick = event => { event.preventDefault(); show(); };
  part('again').hidden = all.length < 2;
  show();
}
"""
STYLE = """.question { border: 1px solid var(--md-default-fg-color--lightest); border-radius: .2rem; padding: .1rem .8rem .7rem; margin: .9rem 0 }
.question label { display: block; margin: .2rem 0 }
.question :is(.given, button) { font: inherit; padding: .15rem .5rem; border: 1px solid var(--md-default-fg-color--lighter); border-radius: .15rem;
  background: var(--md-default-bg-color); color: var(--md-default-fg-color) }
.question button { cursor: pointer }
.question .verdict { font-weight: 700; margin-left: .6rem }
"""


def as_html(markdown):
    """Paragraphs, `code` and *emphasis*, which is all that questions use."""
    text = html.escape(markdown.strip(), quote=False)
    text = "".join(f"<code>{part}</code>" if code else re.sub(r"\*([^*\s][^*]*)\*", r"<em>\1</em>", part)
                   for code, part in zip(itertools.cycle((False, True)), text.split("`")))
    return "".join(f"<p>{part}</p>" for part in re.split(r"\n\s*\n", text))


def filled(text, values):
    """{STAGES} becomes its value, and {STAGES - 1} the sum."""

    def value(found):
        if found[1] in values:
            return str(values[found[1]])
        terms = [str(values.get(word, word)) for word in found[1].split()]
        whole = all(re.fullmatch(r"[+-]|-?\d+", term) for term in terms) and terms[1:]
        return str(sum(int(term) * (-1 if before == "-" else 1) for before, term in zip(["+", *terms], terms) if term not in "+-")) if whole else found[0]

    return re.sub(r"\{(\w+(?: [+-] \w+)*)\}", value, text)


def flat(answer):
    return " ".join(map(str, answer)) if isinstance(answer, list) else str(answer)


def answered_by_the_device(lab, language):
    """What ./lab quiz has, for questions whose answer a program gives; nothing where the device has not been built."""
    if not RUNNER.exists():
        return {}
    environment = {**os.environ, "LAB_ROOT": str(ROOT), "LAB_LANG": language or "en"}
    answers = subprocess.run([RUNNER, "quiz", lab, "--json", "--seed", "1"], env=environment, capture_output=True, text=True)
    return {one["name"]: one for one in json.loads(answers.stdout)} if answers.returncode == 0 else {}


def variants(record, language, answers):
    """Each set of values with its texts and its answer, as the script wants them."""
    def text(key):
        return record.get(f"{key}_{language}" if language else key, record.get(key, ""))

    if "program" in record:
        if record["name"] not in answers:
            return []
        one = answers[record["name"]]
        sets = [{"answer": one["answer"], "text": one["text"] + "\n\n", "why": one["why"], "choices": one["choices"], "listing": one["program"]}]
    else:
        sets = [{"answer": flat(values.get("answer", record.get("answer", ""))), "text": filled(text("text"), values),
                 "why": filled(text("why"), values), "choices": [filled(choice, values) for choice in text("choices") or []], "listing": ""}
                for values in record.get("with", [{}])]
    for one in sets:
        if one["choices"]:
            right = one["choices"].index(one["answer"]) if one["answer"] in one["choices"] else int(one["answer"]) - 1
            one["answer"] = str(right)
        listing = f"<pre><code>{html.escape(one.pop('listing'), quote=False)}</code></pre>"
        one["text"] = as_html(one["text"]) + (listing if "program" in record else "")
        one["why"] = as_html(one["why"])
        one["choices"] = [as_html(choice).removeprefix("<p>").removesuffix("</p>") for choice in one["choices"]]
        one["tolerance"] = record.get("tolerance", 0)
    return sets


def page(lab, language):
    """The page of one lab; empty if it has no questions."""
    file = ROOT / "labs" / lab / "questions.toml"
    if not file.exists():
        return ""
    words = WORDS[language]
    number = lab[:2]
    records = tomllib.loads(file.read_text())["question"]
    answers = answered_by_the_device(lab, language) if any("program" in record for record in records) else {}
    text = f"# {number} {words['title']}\n\n{words['lead'].format(number)}\n\n<script type=\"application/json\" id=\"quiz-words\">{json.dumps(words)}</script>\n\n"
    for count, record in enumerate(records, 1):
        sets = variants(record, language, answers)
        text += f"## {number}.{count}\n\n"
        if not sets:
            text += f"{words['ask']} {number}.{count}\n\n"
            continue
        data = json.dumps(sets, ensure_ascii=False).replace("</", "<\\/")
        text += (f'<form class="question" id="q{count}"><script type="application/json">{data}</script><div class="text"></div><div class="choices"></div>'
                 f'<input class="given" aria-label="{words["check"]}"> <button class="check">{words["check"]}</button> <button class="show">{words["show"]}</button> '
                 f'<button class="again">{words["again"]}</button><span class="verdict" role="status"></span><div class="why" hidden></div></form>\n\n')
    return text
