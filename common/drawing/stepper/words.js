// Steps, threads and bytes in words.
const many = R.blocks.length > 1;
const inBlock = block => (many ? ' of block ' + R.blocks[block] : '');
const fullMask = warp => { const n = Math.min(32, R.threads - 32 * warp); return n >= 32 ? 0xffffffff : (1 << n) - 1 >>> 0; };

function ranges(numbers) {                   // "0–3, 6"
  const out = [];
  for (let i = 0; i < numbers.length; i++) {
    let j = i;
    while (j + 1 < numbers.length && numbers[j + 1] === numbers[j] + 1) j++;
    out.push(j > i ? numbers[i] + '–' + numbers[j] : '' + numbers[i]);
    i = j;
  }
  return out.join(', ');
}
function lanes(mask) {
  const all = [];
  for (let i = 0; i < 32; i++) if (mask >>> i & 1) all.push(i);
  return all;
}
function threads(warp, mask) {               // "warp 2 (threads 64–95)", "thread 0"
  const numbers = lanes(mask).map(lane => 32 * warp + lane);
  if (numbers.length === 1) return 'thread ' + numbers[0];
  if (mask >>> 0 === fullMask(warp)) return `warp ${warp} (threads ${ranges(numbers)})`;
  const shown = ranges(numbers);
  return shown.length > 28 ? `${numbers.length} threads of warp ${warp}` : `threads ${shown}`;
}
const who = s => (s.warp < 0 ? '' : threads(s.warp, s.mask) + inBlock(s.block));
function does(s, verb) {                     // "warp 2 reads", "threads 1–31 read"
  const subject = who(s), plural = /^(threads|\d+ threads)/.test(subject);
  return subject + ' ' + (plural ? {has: 'have', does: 'do'}[verb] || verb.replace(/s$/, '') : verb);
}
const warpsText = numbers => (numbers.length === 1 ? 'warp ' : 'warps ') + ranges(numbers);
const upper = text => text.charAt(0).toUpperCase() + text.slice(1);
const count = (n, one, more) => n + ' ' + (n === 1 ? one : more || one + 's');

function partsOf(s) {                        // {part, begin, end} of a step's bytes of shared memory
  const all = [];
  for (const [begin, end] of s.ranges) for (const part of parts) {
    const b = Math.max(begin, part.begin), e = Math.min(end, part.begin + part.bytes);
    if (b < e) all.push({part, begin: b - part.begin, end: e - part.begin});
  }
  return all;
}
function bytesText(s) {                      // "tile[0][0…127]"
  const by = new Map();
  for (const {part, begin, end} of partsOf(s)) by.set(part, [...(by.get(part) || []), [begin, end]]);
  const rows = new Map();                    // whole rows of one array are one name
  for (const [part, list] of by) {
    const m = /^(.*)\[(\d+)\]$/.exec(part.name);
    if (!m || list.length > 1 || list[0][0] !== 0 || list[0][1] !== part.bytes) continue;
    rows.set(m[1], [...(rows.get(m[1]) || []), +m[2]]);
  }
  const names = [];
  for (const [array, list] of rows) if (list.length > 2) {
    for (const part of [...by.keys()]) if (list.some(i => part.name === `${array}[${i}]`)) by.delete(part);
    names.push(parts.filter(p => p.name.startsWith(array + '[')).length === list.length ? array : `${array}[${ranges(list).replace(/–/g, '…')}]`);
  }
  const all = names.concat([...by].map(([part, list]) => {
    const begin = list[0][0], end = list[list.length - 1][1];
    const mbarrier = R.barriers.find(b => b[2] === part.begin + begin);
    if (mbarrier) return mbarrier[0];
    if (list.length === 1 && begin === 0 && end === part.bytes) return part.name || 'shared memory';
    const one = ([b, e]) => {
      if (!part.element) return `bytes ${b}–${e - 1}`;
      const x = Math.floor(b / part.element), z = Math.floor((e - 1) / part.element);
      return `[${x === z ? x : x + '…' + z}]`;
    };
    const some = list.length <= 2 ? list.map(one).join(' and ') : one([begin, end]);
    return part.element ? part.name + some : some + ' of ' + (part.name || 'shared memory');
  }));
  const shown = all.slice(0, 3).join(', ') + (all.length > 3 ? ` and ${all.length - 3} more` : '');
  return shown + (many && s.memory !== s.block ? inBlock(s.memory) : '') || 'shared memory';
}
const where = s => (s.global ? (s.text || 'global memory') : bytesText(s));
const mbarrier = i => (i >= 0 ? R.barriers[i][0] + (many ? inBlock(R.barriers[i][1]) : '') : 'an mbarrier');
const place = p => (p < 0 ? '' : R.places[p][0].replace(/.*\//, '') + ':' + R.places[p][1]);
const times = s => (s.times > 1 ? ` (${s.times} instructions)` : '');
const barName = x => (x < 0 ? 'the cluster barrier' : 'barrier ' + x);
const strong = {a: ' with acquire', r: ' with release', b: ' with acquire and release', x: ' (relaxed)'};

const say = {                                // [what happens, what that means]
  read: s => [`${does(s, 'reads')} ${where(s)}${strong[s.strong] || ''}${times(s)}`, ''],
  write: s => [`${does(s, 'writes')} ${where(s)}${strong[s.strong] || ''}${times(s)}`,
    s.global ? '' : 'The warp itself sees the values; other warps see them after they have synchronised with it.'],
  atomic: s => [`${does(s, 'updates')} ${where(s)} atomically${strong[s.strong] || ''}${times(s)}`, ''],
  copy: s => [`${does(s, 'starts')} cp.async of ${s.bytes} bytes${s.text ? ' from ' + s.text : ''} into ${bytesText(s)}${times(s)}`,
    'The bytes are in flight: they may arrive at any time until a wait says that they are there.'],
  commit: s => [`${does(s, 'commits')} a cp.async group`, 'It contains the copies that these threads have issued since their last commit.'],
  wait_group: s => [`${does(s, 'has')} waited for ${s.x <= 0 ? 'all its cp.async groups' : 'all but the newest ' + s.x + ' of its cp.async groups'}`,
    'Copies in these groups are complete, but only the threads that issued them are ordered after that. The others need a barrier.'],
  arrive: s => [`${does(s, 'arrives')} at ${barName(s.x)}`, ''],
  complete: s => [`${upper(barName(s.x))} is complete`, 'Everything that its threads did before it happens before everything that they do after it.'],
  cluster_pass: s => [`${does(s, 'has')} waited for the cluster barrier`, ''],
  init: s => [`${does(s, 'initialises')} ${mbarrier(s.what)} for ${count(s.what >= 0 ? R.barriers[s.what][3] : 0, 'arrival')} per phase`, ''],
  mbarrier: s => [`${does(s, 'changes')} the tx-count of ${mbarrier(s.what)}`, 'The phase cannot complete before that many bytes have arrived.'],
  m_arrive: s => [`${does(s, 'arrives')} on ${mbarrier(s.what)}`, ''],
  m_track: s => [`${does(s, 'lets')} its cp.async so far arrive on ${mbarrier(s.what)}`, 'The arrival follows when the copies are complete.'],
  m_copies: s => [`The cp.async of ${who(s)} are complete and arrive on ${mbarrier(s.what)}`, ''],
  blocks: s => [`${does(s, 'waits')} for parity ${s.x} of ${mbarrier(s.what)}`, 'The phase that it asks for is not complete yet.'],
  m_pass: s => [`${does(s, 'has')} waited for ${mbarrier(s.what)}: phase ${s.x - 1} (parity ${s.x - 1 & 1}) is complete`,
    'It is now ordered after that phase’s arrivals and sees the bytes that completed it.'],
  m_end: s => [`${does(s, 'invalidates')} ${mbarrier(s.what)}`, ''],
  bulk_load: s => [`${does(s, 'starts')} ${s.first ? 'an asynchronous store' : 'a bulk copy'} of ${s.bytes} bytes${s.text ? ' from ' + s.text : ''} into ${bytesText(s)}`,
    `The bytes are in flight. When they have arrived, they are subtracted from the tx-count of ${mbarrier(s.what)}.`],
  bulk_store: s => [`${does(s, 'starts')} a bulk copy of ${s.bytes} bytes from ${bytesText(s)}${s.text ? ' to ' + s.text : ''}`,
    'The async proxy reads the source at any time until a wait for its bulk group says that it has done so.'],
  bulk_commit: s => [`${does(s, 'commits')} a bulk group`, ''],
  bulk_wait: s => [`${does(s, 'has')} waited for bulk groups${s.first ? ' to have read their sources' : ''}`, ''],
  landed: s => [`${s.bytes} bytes arrive in ${bytesText(s)} and count on ${mbarrier(s.what)}`,
    'Nobody may read them yet: a thread sees them when it has waited for this phase.'],
  fence: s => [`${does(s, 'executes')} a fence`, ''],
  proxy_fence: s => [`${does(s, 'executes')} fence.proxy.async`, 'Its accesses so far are ordered before asynchronous copies that come after the fence.'],
  warp_sync: s => [`${does(s, 'synchronises')} its lanes`, ''],
  map_fence: s => [`${does(s, s.strong === 'a' ? 'acquires' : 'releases')} a tensor map`, ''],
  misuse: s => [s.text ? `The device stops ${who(s)}` : `${does(s, 'does')} something that is not allowed`, s.text],
  exit: s => [`Block ${R.blocks[s.block]} ends`, ''],
};
const sentence = s => upper(say[s.kind](s)[0]);

const kindGroups = [                         // of the selector: [name, kinds, colour]
  ['copies', ['copy', 'bulk_load', 'bulk_store', 'landed'], 'flight'],
  ['groups and their waits', ['commit', 'wait_group', 'bulk_commit', 'bulk_wait'], 'group'],
  ['block and cluster barriers', ['arrive', 'complete', 'cluster_pass', 'warp_sync'], 'bar'],
  ['mbarriers', ['init', 'mbarrier', 'm_arrive', 'm_track', 'm_copies', 'blocks', 'm_pass', 'm_end'], 'mbar'],
  ['reads and writes', ['read', 'write', 'atomic'], 'access'],
  ['fences', ['fence', 'proxy_fence', 'map_fence'], 'fence'],
  ['ends and errors', ['misuse', 'exit'], 'hazard'],
];
const colourOf = {};
for (const [, list, colour] of kindGroups) for (const kind of list) colourOf[kind] = colour;
