// A deck of slides (docs/slides) is a page like the others. This script makes a slide of each of its parts, and shows
// them one at a time: arrows turn the pages, n shows the speaker's notes (the quotations), Escape goes back to the page.
(() => {
  const article = document.querySelector('article.md-content__inner');
  if (!article || !location.pathname.includes('/slides/') || !article.querySelector('blockquote')) return;
  const chinese = location.pathname.includes('/zh/');
  const slides = [document.createElement('section')];
  for (const part of [...article.childNodes]) {
    if (part.nodeName === 'H2') slides.push(document.createElement('section'));
    slides.at(-1).append(part);
  }
  article.append(...slides);
  for (const slide of slides) {
    slide.className = 'slide';
    for (const quote of slide.querySelectorAll('blockquote')) quote.className = 'notes';
  }
  const button = document.createElement('button');
  button.className = 'md-button md-button--primary present';
  button.textContent = chinese ? '放映（← →，n 备注，Esc 退出）' : 'Present (← →, n for notes, Esc to leave)';
  slides[0].append(button);

  const root = document.documentElement;
  const presenting = () => root.classList.contains('presenting');
  let now = 0;
  const show = number => {
    now = Math.max(0, Math.min(slides.length - 1, number));
    slides.forEach((slide, i) => slide.classList.toggle('now', i === now));
    slides[now].dataset.page = `${now + 1} / ${slides.length}`;
    slides[now].scrollTop = 0;
    history.replaceState(null, '', `#slide-${now + 1}`);
  };
  const present = number => {
    root.classList.add('presenting');
    show(number);
  };
  const leave = () => {
    root.classList.remove('presenting');
    history.replaceState(null, '', location.pathname);
    slides[now].scrollIntoView();
  };
  button.onclick = () => present(1);
  const steps = {ArrowRight: 1, ArrowDown: 1, PageDown: 1, ' ': 1, ArrowLeft: -1, ArrowUp: -1, PageUp: -1, Home: -1e3, End: 1e3};
  // The theme has keys of its own (n and p turn to other chapters), so these are caught before it sees them.
  window.addEventListener('keydown', event => {
    if (!presenting() || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key in steps)
      show(now + steps[event.key]);
    else if (event.key === 'n')
      root.classList.toggle('with-notes');
    else if (event.key === 'Escape')
      leave();
    else
      return;
    event.preventDefault();
    event.stopImmediatePropagation();
  }, true);
  const asked = location.hash.match(/^#slide-(\d+)$/);
  if (asked) present(asked[1] - 1);
})();
