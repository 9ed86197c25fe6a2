// Steps, threads and bytes in the page's language.
const T = document.documentElement.lang.startsWith('zh') ? chinese : english;
const many = R.blocks.length > 1;
const inBlock = block => (many ? T.inBlock(R.blocks[block]) : '');
const fullMask = warp => {
  const n = Math.min(32, R.threads - 32 * warp);
  return n >= 32 ? 0xffffffff : (1 << n) - 1 >>> 0;
};
const numberOf = i => R.skipped + i + 1;  // of a step, as the page counts them

function ranges(numbers) {  // "0–3, 6"
  const out = [];
  for (let i = 0; i < numbers.length; i++) {
    let j = i;
    while (j + 1 < numbers.length && numbers[j + 1] === numbers[j] + 1) j++;
    out.push(j > i ? numbers[i] + '–' + numbers[j] : '' + numbers[i]);
    i = j;
  }
  return out.join(T.list);
}
function lanes(mask) {
  const all = [];
  for (let i = 0; i < 32; i++)
    if (mask >>> i & 1) all.push(i);
  return all;
}
function threads(warp, mask) {  // "warp 2 (threads 64–95)", "thread 0"
  const numbers = lanes(mask).map(lane => 32 * warp + lane);
  if (numbers.length === 1) return T.thread(numbers[0]);
  if (mask >>> 0 === fullMask(warp)) return T.wholeWarp(warp, ranges(numbers));
  const shown = ranges(numbers);
  return shown.length > 28 ? T.someThreads(numbers.length, warp) : T.threads(shown);
}
const who = s => (s.warp < 0 ? '' : threads(s.warp, s.mask) + inBlock(s.block));
const warpsText = numbers => T.warps(ranges(numbers), numbers.length === 1);

function partsOf(s) {  // {part, begin, end} of a step's bytes of shared memory
  const all = [];
  for (const [begin, end] of s.ranges)
    for (const part of parts) {
      const b = Math.max(begin, part.begin), e = Math.min(end, part.begin + part.bytes);
      if (b < e) all.push({part, begin: b - part.begin, end: e - part.begin});
    }
  return all;
}
function bytesText(s) {  // "tile[0][0…127]"
  const by = new Map();
  for (const {part, begin, end} of partsOf(s)) by.set(part, [...(by.get(part) || []), [begin, end]]);
  const rows = new Map();  // whole rows of one array are one name
  for (const [part, list] of by) {
    const m = /^(.*)\[(\d+)\]$/.exec(part.name);
    if (!m || list.length > 1 || list[0][0] !== 0 || list[0][1] !== part.bytes) continue;
    rows.set(m[1], [...(rows.get(m[1]) || []), +m[2]]);
  }
  const names = [];
  for (const [array, list] of rows)
    if (list.length > 2) {
      for (const part of [...by.keys()])
        if (list.some(i => part.name === `${array}[${i}]`)) by.delete(part);
      names.push(
          parts.filter(p => p.name.startsWith(array + '[')).length === list.length ? array :
                                                                                     `${array}[${ranges(list).replace(/–/g, '…')}]`);
    }
  const all = names.concat([...by].map(([part, list]) => {
    const begin = list[0][0], end = list[list.length - 1][1];
    const mbarrier = R.barriers.find(b => b[2] === part.begin + begin);
    if (mbarrier) return barrierName(mbarrier[0]);
    if (list.length === 1 && begin === 0 && end === part.bytes) return part.name || T.sharedMemory;
    const one = ([b, e]) => {
      if (!part.element) return T.bytes(b, e - 1);
      const x = Math.floor(b / part.element), z = Math.floor((e - 1) / part.element);
      return `[${x === z ? x : x + '…' + z}]`;
    };
    const some = list.length <= 2 ? list.map(one).join(T.and) : one([begin, end]);
    return part.element ? part.name + some : T.of(some, part.name || T.sharedMemory);
  }));
  const shown = all.slice(0, 3).join(T.list) + (all.length > 3 ? T.more(all.length - 3) : '');
  return shown + (many && s.memory !== s.block ? inBlock(s.memory) : '') || T.sharedMemory;
}
// "byte 64 of in", as the device names what has no shape in the source.
const globalName = name => name.replace(/byte (\d+) of (\w+)/g, (_, n, what) => T.byteOf(n, what));
const where = s => (s.global ? (globalName(s.text) || T.globalMemory) : bytesText(s));
// An mbarrier that has no name in the source is "at shared address 24".
const barrierName = name => name.replace(/^at shared address (\d+)$/, (_, at) => T.mbarrierAt(at));
const mbarrier = i => (i >= 0 ? barrierName(R.barriers[i][0]) + (many ? inBlock(R.barriers[i][1]) : '') : T.aMbarrier);
const mapName = i => (i >= 0 ? globalName(R.maps[i][0]) + (many && R.maps[i][1] === 2 ? inBlock(R.maps[i][2]) : '') : T.aMap);
const place = p => (p < 0 ? '' : R.places[p][0].replace(/.*\//, '') + ':' + R.places[p][1]);
const barName = x => (x < 0 ? T.clusterBarrier : T.barrier(x));
// "columns 0–127", "columns 0–31, lanes 32–63" of Tensor Memory; of those that are written, or read.
function cellsText(s, written) {
  const mine = s.cells.filter(c => c[5] === written);
  const spread = (at, count) => {
    const all = new Set();
    for (const c of mine)
      for (let n = c[at]; n < c[at] + c[count]; n++) all.add(n);
    return [...all].sort((a, b) => a - b);
  };
  if (!mine.length) return T.tensor.cells('', '');
  const rows = spread(1, 2), blocks = [...new Set(mine.map(c => c[0]))];
  return T.tensor.cells(ranges(spread(3, 4)), rows.length === 128 ? '' : ranges(rows)) +
      (blocks.length > 1         ? T.tensor.pair :
           blocks[0] !== s.block ? inBlock(blocks[0]) :
                                   '');
}
const operation = s => T.tensor.operation(s.text, s.shape >>> 16, s.shape & 65535);
const ofOperation = s => (numbered.has(s.number) ? steps[numbered.get(s.number)] : null);
const sentence = s => T.upper(T.say[s.kind](s)[0]);

const kindGroups = [
  // of the selector: [name, kinds, colour]
  [T.groups.copies, ['copy', 'bulk_load', 'bulk_store', 'landed'], 'flight'],
  [T.groups.groups, ['commit', 'wait_group', 'bulk_commit', 'bulk_wait'], 'group'],
  [T.groups.bars, ['arrive', 'complete', 'cluster_pass', 'warp_sync'], 'bar'],
  [T.groups.mbars, ['init', 'mbarrier', 'm_arrive', 'm_track', 'm_copies', 'blocks', 'm_pass', 'm_end'], 'mbar'],
  [T.groups.accesses, ['read', 'write', 'atomic'], 'access'],
  [T.groups.maps, ['map_fence', 'map_copy'], 'map'],
  [T.groups.tensors, ['t_alloc', 't_free', 't_issue', 't_done', 't_access', 't_wait', 't_commit', 't_arrive'], 'tensor'],
  [T.groups.fences, ['fence', 'proxy_fence', 't_fence'], 'fence'],
  [T.groups.ends, ['misuse', 'exit'], 'hazard'],
];
const colourOf = {};
for (const [, list, colour] of kindGroups)
  for (const kind of list) colourOf[kind] = colour;
