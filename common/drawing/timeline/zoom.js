// The pictures stretch together, so that they keep one scale; their text does not stretch.
(function() {
const pictures = document.querySelectorAll('.scroll svg'), boxes = document.querySelectorAll('.scroll');
let zoom = 1;

function show() {
  for (const picture of pictures) {
    picture.style.width = `${zoom * 100}%`;
    picture.style.height = `${picture.dataset.height}px`;
  }
  for (const text of document.querySelectorAll('.scroll svg text')) {
    const x = text.getAttribute('x'), picture = text.ownerSVGElement, stretched = picture.viewBox.baseVal.width / picture.clientWidth;
    text.setAttribute('transform', `translate(${x} 0) scale(${stretched} 1) translate(-${x} 0)`);
    const crowded = text.dataset.even === '0' && stretched > 1.2;
    const narrow = text.dataset.room && text.dataset.room / stretched < 7 * text.textContent.length + 4;
    text.style.display = crowded || narrow ? 'none' : '';
  }
  document.getElementById('zoom').textContent = `${zoom} ×`;
}

function by(factor) {
  zoom = Math.min(32, Math.max(1, zoom * factor));
  show();
}

document.getElementById('in').onclick = () => by(2);
document.getElementById('out').onclick = () => by(.5);
document.addEventListener('keydown', event => {
  if (event.key === '+') by(2);
  if (event.key === '-') by(.5);
});
for (const box of boxes)
  box.onscroll = () => {
    for (const other of boxes) other.scrollLeft = box.scrollLeft;
  };
window.onbeforeprint = () => {
  zoom = 1;
  show();
};
window.onresize = show;
show();
})();
