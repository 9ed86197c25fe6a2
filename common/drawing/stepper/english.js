// The page's words in English. chinese.js has the same names; texts.js chooses.
const english = (function() {
  const counted = (n, one, more) => n + ' ' + (n === 1 ? one : more || one + 's');
  function does(s, verb) {  // "warp 2 reads", "threads 1–31 read"
    const subject = who(s), plural = /^(threads|\d+ threads)/.test(subject);
    return subject + ' ' + (plural ? {has: 'have', does: 'do'}[verb] || verb.replace(/s$/, '') : verb);
  }
  const strong = s => ({a: ' with acquire', r: ' with release', b: ' with acquire and release', x: ' (relaxed)'}[s.order] || '');
  const times = s => (s.times > 1 ? ` (${s.times} instructions)` : '');
  const from = s => (s.text ? ' from ' + globalName(s.text) : '');
  const proxyNote = 'Tensor copies read maps through the tensormap proxy.';

  const say = {
    // [what happens, what that means]
    read: s => [`${does(s, 'reads')} ${where(s)}${strong(s)}${times(s)}`, ''],
    write: s => s.map >= 0 ?
        [
          `${does(s, 'changes')} the tensor map ${mapName(s.map)}`,
          'A change is made through the generic proxy: copies may see it only after a release and an acquire.'
        ] :
        [
          `${does(s, 'writes')} ${where(s)}${strong(s)}${times(s)}`,
          s.global ? '' : 'The warp itself sees the values; other warps see them after they have synchronised with it.'
        ],
    atomic: s => [`${does(s, 'updates')} ${where(s)} atomically${strong(s)}${times(s)}`, ''],
    copy: s =>
        [`${does(s, 'starts')} cp.async of ${s.bytes} bytes${from(s)} into ${bytesText(s)}${times(s)}`,
         'The bytes are in flight: they may arrive at any time until a wait says that they are there.'],
    commit:
        s => [`${does(s, 'commits')} a cp.async group`, 'It contains the copies that these threads have issued since their last commit.'],
    wait_group: s =>
        [`${does(s, 'has')} waited for ${
             s.number <= 0 ? 'all its cp.async groups' : 'all but the newest ' + s.number + ' of its cp.async groups'}`,
         'Copies in these groups are complete, but only the threads that issued them are ordered after that. The others need a barrier.'],
    arrive: s => [`${does(s, 'arrives')} at ${barName(s.number)}`, ''],
    complete: s =>
        [`${barName(s.number)} is complete`, 'Everything that its threads did before it happens before everything that they do after it.'],
    cluster_pass: s => [`${does(s, 'has')} waited for the cluster barrier`, ''],
    init: s =>
        [`${does(s, 'initialises')} ${mbarrier(s.what)} for ${counted(s.what >= 0 ? R.barriers[s.what][3] : 0, 'arrival')} per phase`, ''],
    mbarrier: s =>
        [`${does(s, 'changes')} the tx-count of ${mbarrier(s.what)}`, 'The phase cannot complete before that many bytes have arrived.'],
    m_arrive: s => [`${does(s, 'arrives')} on ${mbarrier(s.what)}`, ''],
    m_track:
        s => [`${does(s, 'lets')} its cp.async so far arrive on ${mbarrier(s.what)}`, 'The arrival follows when the copies are complete.'],
    m_copies: s => [`The cp.async of ${who(s)} are complete and arrive on ${mbarrier(s.what)}`, ''],
    blocks: s => [`${does(s, 'waits')} for parity ${s.number} of ${mbarrier(s.what)}`, 'The phase that it asks for is not complete yet.'],
    m_pass: s =>
        [`${does(s, 'has')} waited for ${mbarrier(s.what)}: phase ${s.number - 1} (parity ${s.number - 1 & 1}) is complete`,
         'It is now ordered after that phase’s arrivals and sees the bytes that completed it.'],
    m_end: s => [`${does(s, 'invalidates')} ${mbarrier(s.what)}`, ''],
    bulk_load: s =>
        [`${does(s, 'starts')} ${
             s.first === 2 ? 'a request to cancel a cluster, with a response' :
                 s.first   ? 'an asynchronous store' :
                             'a bulk copy'} of ${s.bytes} bytes${from(s)} into ${bytesText(s)}${
             s.map >= 0 ? ' with the map ' + mapName(s.map) : ''}`,
         `The bytes are in flight. When they have arrived, they are subtracted from the tx-count of ${mbarrier(s.what)}.`],
    bulk_store: s =>
        [`${does(s, 'starts')} a bulk copy of ${s.bytes} bytes from ${bytesText(s)}${s.text ? ' to ' + globalName(s.text) : ''}${
             s.map >= 0 ? ' with the map ' + mapName(s.map) : ''}`,
         'The async proxy reads the source at any time until a wait for its bulk group says that it has done so.'],
    bulk_commit: s => [`${does(s, 'commits')} a bulk group`, ''],
    bulk_wait: s => [`${does(s, 'has')} waited for bulk groups${s.first ? ' to have read their sources' : ''}`, ''],
    landed: s =>
        [`${s.bytes} bytes arrive in ${bytesText(s)} and count on ${mbarrier(s.what)}`,
         'Nobody may read them yet: a thread sees them when it has waited for this phase.'],
    fence: s => [`${does(s, 'executes')} a fence`, ''],
    proxy_fence: s =>
        [`${does(s, 'executes')} fence.proxy.async`,
         'Its accesses so far are ordered before asynchronous copies that come after the fence.'],
    warp_sync: s => [`${does(s, 'synchronises')} its lanes`, ''],
    map_fence: s => s.order === 'a' ?
        [
          `${does(s, 'acquires')} the tensor map ${mapName(s.map)}`,
          `${proxyNote} Copies that are ordered after this acquire use the map as it was released.`
        ] :
        [`${does(s, 'releases')} the tensor maps that it has changed`, 'Each block that uses them still has to acquire them.'],
    map_copy: s =>
        [`${does(s, 'copies')} the tensor map ${mapName(s.what)} to ${mapName(s.map)} and releases it`,
         'Each block that uses it still has to acquire it.'],
    t_alloc: s =>
        [`${does(s, 'allocates')} ${cellsText(s, 1)} of Tensor Memory`,
         'The cells are undefined until they are written. Other warps may use the address after they have synchronised with this one.'],
    t_free: s => [`${does(s, 'frees')} ${cellsText(s, 1)} of Tensor Memory`, ''],
    t_issue: s =>
        [`${does(s, 'issues')} ${operation(s)}${s.ranges.length ? ' of ' + bytesText(s) : ''}${
             s.text === 'mma'    ? ' with the accumulator in ' :
                 s.text === 'cp' ? ' to ' :
                                   ' of '}${cellsText(s, 1)}${s.group > 1 ? ', for a pair of blocks' : ''}`,
         'It is in flight: it reads its operands and writes its results at any time until its commit has arrived on an mbarrier.'],
    t_done: s => {
      const by = ofOperation(s);
      return [
        `${by ? english.upper(operation(by)) + ' of step ' + numberOf(by.i) : 'A tcgen05 operation'} is complete: ${cellsText(s, 1)}`,
        'No thread is ordered after that before it has waited for the commit.'
      ];
    },
    t_access: s => s.first ?
        [`${does(s, 'stores')} to ${cellsText(s, 1)} of Tensor Memory${times(s)}`, 'The store is in flight until tcgen05.wait::st.'] :
        [
          `${does(s, 'loads')} ${cellsText(s, 0)} of Tensor Memory${times(s)}`,
          'The load is in flight: the registers, and what may overwrite the cells, have to wait for tcgen05.wait::ld.'
        ],
    t_wait: s =>
        [`${does(s, 'has')} waited for its ${s.first ? 'stores to' : 'loads from'} Tensor Memory`,
         'They are complete. Other warps need a barrier to be ordered after them.'],
    t_commit: s => {
      const list = (committed.get(s.i) || []).map(numberOf);
      return [
        `${does(s, 'commits')} its tcgen05 operations so far${
            list.length ? ` (step${list.length > 1 ? 's' : ''} ${ranges(list)})` :
                          ''} to ${[s.what, ...s.also].map(mbarrier).join(' and ')}`,
        'When they are complete, the commit arrives there.'
      ];
    },
    t_arrive: s => {
      const by = ofOperation(s);
      return [
        `The commit ${by ? 'of step ' + numberOf(by.i) : 'of ' + who(s)} arrives on ${mbarrier(s.what)}`,
        'Its operations are complete. A thread that waits for this phase may use their results.'
      ];
    },
    t_fence: s =>
        [`${does(s, 'executes')} tcgen05.fence::${s.first ? 'after' : 'before'}_thread_sync`,
         s.first ? 'Its tcgen05 operations from now on are ordered after what it has synchronised with.' :
                   'Its tcgen05 accesses so far are ordered before what synchronises with it from now on.'],
    misuse: s => [s.text ? `The device stops ${who(s)}` : `${does(s, 'does')} something that is not allowed`, s.text],
    exit: s => [`Block ${R.blocks[s.block]} ends`, ''],
  };
  const short = {
    // the same beside the missing edge
    commit: () => 'commits the group',
    wait_group: s => (s.number <= 0 ? 'waits for all its groups' : `waits for all but ${s.number} group${s.number > 1 ? 's' : ''}`),
    m_track: s => 'copies will arrive on ' + mbarrier(s.what),
    m_arrive: s => 'arrives on ' + mbarrier(s.what),
    m_pass: s => `has waited for ${mbarrier(s.what)}, phase ${s.number - 1}`,
    bulk_commit: () => 'commits the bulk group',
    bulk_wait: s => (s.first ? 'waits until its bulk groups are read' : 'waits for its bulk groups'),
    fence: () => 'fence',
    proxy_fence: () => 'fence.proxy.async',
    cluster_pass: () => 'has waited for the cluster',
    landed: () => 'the bytes arrive',
    complete: s => barName(s.number) + ' completes',
    arrive: s => 'arrives at ' + barName(s.number),
    map_fence: s => (s.order === 'a' ? 'acquires ' + mapName(s.map) : 'releases its maps'),
    copy: s => 'cp.async into ' + bytesText(s),
    bulk_load: s => 'copy into ' + bytesText(s),
    bulk_store: s => 'copy out of ' + bytesText(s),
    read: s => 'reads ' + where(s) + strong(s),
    write: s => 'writes ' + where(s) + strong(s),
    atomic: s => 'updates ' + where(s) + strong(s),
    warp_sync: () => '__syncwarp()',
    map_copy: s => 'copies a map to ' + mapName(s.map),
    t_alloc: s => 'allocates ' + cellsText(s, 1),
    t_free: s => 'frees ' + cellsText(s, 1),
    t_issue: s => `${operation(s)} into ${cellsText(s, 1)}`,
    t_access: s => (s.first ? 'stores to ' : 'loads ') + cellsText(s, s.first),
    t_wait: s => 'tcgen05.wait::' + (s.first ? 'st' : 'ld'),
    t_commit: s => 'commits to ' + mbarrier(s.what),
    t_arrive: s => 'the commit arrives on ' + mbarrier(s.what),
    t_fence: s => `tcgen05.fence::${s.first ? 'after' : 'before'}_thread_sync`,
  };
  const verbs = {end: ['has ended', 'have ended'], run: ['runs', 'run'], ready: ['is ready', 'are ready'], wait: ['waits', 'wait']};

  return {
    say,
    short,
    stop: '.',
    gap: ' ',
    upper: text => text.charAt(0).toUpperCase() + text.slice(1),
    and: ' and ',
    list: ', ',
    colon: ': ',
    sharedMemory: 'shared memory',
    globalMemory: 'global memory',
    otherBytes: 'other bytes',
    aMbarrier: 'an mbarrier',
    aMap: 'a tensor map',
    more: n => ` and ${n} more`,
    bytes: (b, e) => `bytes ${b}–${e}`,
    of: (part, name) => `${part} of ${name}`,
    inBlock: block => ' of block ' + block,
    byteOf: (n, name) => (+n ? `byte ${n} of ${name}` : name),
    thread: n => 'thread ' + n,
    threads: list => 'threads ' + list,
    wholeWarp: (w, list) => `warp ${w} (threads ${list})`,
    someThreads: (n, w) => `${n} threads of warp ${w}`,
    warps: (list, one) => (one ? 'warp ' : 'warps ') + list,
    barrier: n => 'barrier ' + n,
    clusterBarrier: 'the cluster barrier',
    stepNumber: n => `step ${n}`,
    stepOf: (n, all) => `step ${n} of ${all}`,
    groups: {
      copies: 'copies',
      groups: 'groups and their waits',
      bars: 'block and cluster barriers',
      mbars: 'mbarriers',
      accesses: 'reads and writes',
      maps: 'tensor maps',
      tensors: 'Tensor Memory',
      fences: 'fences',
      ends: 'ends and errors'
    },
    any: 'any step',
    findings: 'findings',
    about: (blocks, warps) => `Kernel ${R.kernel}, ${blocks} of a grid of ${R.grid}, ${R.threads} threads in ${
        counted(
            warps,
            'warp')}. Each step is a warp's access, copy, wait, arrival or fence, in the order in which the simulated device executed them.`,
    blocks: list =>
        (R.blocks.length === 1 ? `block ${list}` :
             R.blocks.length > R.cluster ? `blocks ${list}` :
                                           `blocks ${list} (a cluster)`),
    bounds: (first, last, all, blocks) =>
        first === 1 && last === all ? `All ${all} steps of ${blocks} are recorded.` : `Steps ${first} to ${last} of ${all} are here. `,
    window: all =>
        ['For others, add ', ['code', '--from N'], ` to the command, where N is the first step to show, 1 to ${all}. `,
         ['code', '--block N'], ' records another block.'],
    bytesBefore: 'What happened before the first of them is not known here.',
    mbarrierAt: at => 'the mbarrier at ' + at,
    nothingOrders: (n, later) =>
        later ? `Nothing orders this after step ${n}.` : `Nothing orders this before step ${n}, which uses the same bytes.`,
    tags: {second: 'second access', first: 'first access', finding: 'finding'},
    phaseComplete: (phase, name) => `Phase ${phase} of ${name} is complete.`,
    lacks: (name, pending, tx) => `${english.upper(name)} lacks ${
            [pending ? counted(pending, 'arrival') : '', tx > 0 ? tx + ' bytes' : ''].filter(Boolean).join(' and ') ||
        'nothing'}${tx < 0 ? `, and ${- tx} bytes more have arrived than were expected` : ''}.`,
    next: ' next',
    waiting: ' waiting',
    verb: (what, plural) => verbs[what][+plural],
    waits: {
      lanes: 'for other lanes of its warp',
      barrier: (n, arrived, all) => `at barrier ${n}${all ? ` (${arrived} of ${all} threads have arrived)` : ''}`,
      cluster: 'at the cluster barrier',
      columns: 'for columns of Tensor Memory',
      parity: (n, name) => `for parity ${n} of ${name}`
    },
    queue: {
      cut: n => 'N = ' + n,
      readCut: n => 'read N = ' + n,
      cutTitle: 'what the last wait let pend is to the right',
      none: 'no groups',
      group: n => 'group ' + n,
      open: 'open',
      empty: 'empty',
      bulk: 'bulk groups',
      titles: {
        done: 'complete: its threads have waited for it',
        empty: 'contains no copies, but counts for N',
        read: 'its source has been read',
        flight: 'committed, not waited for',
        open: 'not committed: no wait_group covers these copies'
      },
      nobody: 'No warp has issued a copy yet.'
    },
    bars: {
      someOf: (n, w) => `${counted(n, 'thread')} of warp ${w}`,
      several: n => counted(n, 'warp') + ' of several blocks',
      nobody: 'nobody yet',
      meter: (n, all) => `${n} of ${all} threads have arrived`,
      threads: (n, all, over) => `${n} of ${all} threads · complete ${counted(over, 'time')}`,
      arrived: 'arrived: ',
      phase: n => 'phase ' + n,
      parity: n => ` parity ${n}`,
      arrivals: (n, all) => `${n} of ${all} arrivals`,
      pending: (n, all) => `${n} of ${counted(all, 'arrival')} pending`,
      odd: n => `${n} bytes more arrived than expected so far`,
      bytes: n => `${n} bytes to come`,
      wait: (warps, one) => warps + (one ? ' waits' : ' wait'),
      none: 'No barrier is in use yet.'
    },
    states: {
      never: ['never written', 'nobody has written these bytes'],
      flight: ['in flight', 'a copy is writing them: they may change at any time'],
      landed: ['landed, observed by no warp', 'complete, but no warp has waited for it'],
      own: ['known to the copying threads', 'each thread that copied has waited for its own copies; the others do not know of them'],
      some: ['visible to some warps', 'other warps are not ordered after the write'],
      all: ['visible to all warps', 'every warp of the block is ordered after the write'],
      used: ['read and handed on', 'they have been read, and another warp knows it: they may be overwritten'],
    },
    notYet: ['not written in these steps so far', 'not among these steps; what was written before them is not known here'],
    memory: {
      fenced: ' · fenced for the async proxy',
      unfenced: ' · not fenced for the async proxy',
      uses: {reads: 'reads', lands: 'lands', writes: 'writes'},
      usesPart: use => `; this step ${use} part of it`,
      used: 'used by this step',
      visibleTo: warps => `visible to ${warps} only`,
      completesOn: name => 'in flight, completes on ' + name,
      rest: never => ' · the rest ' + never,
      bytesRange: (b, e) => ` bytes ${b}–${e}`
    },
    tensor: {
      cells: (columns, lanes) =>
          (columns ? (/[^0-9]/.test(columns) ? 'columns ' : 'column ') + columns : 'some columns') + (lanes ? ', lanes ' + lanes : ''),
      pair: ' of both blocks',
      block: n => 'Block ' + n,
      lanes: list => 'lanes ' + list,
      operation: (what, m, n) =>
          (what === 'mma' ? `the MMA ${m} × ${n}` :
               what === 'cp' ? 'the tcgen05.cp' :
                               'the tcgen05.shift'),
      note: (columns, s, at) => english.tensor.cells(columns, '') +
          (s.kind === 't_alloc' ? `, allocated at ${at}` :
               s.text === 'mma' ? `, accumulator of the MMA at ${at}` :
                                  `, ${s.kind === 't_access' ? (s.first ? 'tcgen05.st' : 'tcgen05.ld') : 'tcgen05.' + s.text} at ${at}`),
      states: {
        free: ['not allocated', 'no thread of the block may use these columns'],
        never: ['allocated, not written', 'undefined: nothing has been written since tcgen05.alloc'],
        flight: ['being written', 'an operation or a store is in flight: the cells may change at any time'],
        reading: ['being read', 'a load or an operation is in flight that reads the cells: they must not be overwritten'],
        landed: ['complete, awaited by no warp', 'no warp has waited for the commit'],
        some: ['complete, awaited by some warps', 'other warps are not ordered after the write'],
        all: ['complete, awaited by all warps', 'every warp of the block is ordered after the write'],
      }
    },
    origin: {
      putBy: name => `${name} was put there by:`,
      madeOf: name => `What this step writes to ${name} comes from:`,
      map: name => `, through the map ${name}`,
      readBy: 'Read there, until it is overwritten, by ',
      unread: 'Not read there before it is overwritten, or the steps end. (Matrix instructions are not listed.)',
      never: name => `${name} has not been written in these steps so far.`,
      more: n => `${n} more`
    },
    registers: {
      of: (thread, warp, lane) => `Values after this step, of thread ${thread} (warp ${warp}, lane ${lane}).`,
      lane: 'lane',
      variable: 'variable',
      register: 'PTX register',
      value: 'value',
      unknown: '–',
      read: 'read',
      written: 'written',
      away: 'optimised away: its line has left no instruction',
      elsewhere: 'no register is known to hold it',
      none: 'No values are recorded for this step.',
      cut: 'Of a long recording, only some steps have them.'
    },
    flags: {
      unchanged: 'Nothing among these steps has changed it.',
      none: 'No flag has been used yet.',
      raised: by => `${english.upper(by)} changed it. `,
      all: () => 'The change is a release: it publishes all that came before it.',
      fenced: n => `The change is relaxed: it publishes what came before the fence of step ${n}.`,
      nothing: () => 'The change is no release, and no fence comes before it: it publishes nothing that its thread wrote before.',
      seen: by => `${english.upper(by)} saw that, `,
      acquires: 'with acquire: it is ordered after all that was published.',
      fenceAcquires: n => `by a relaxed access; the fence of step ${n} acquires what was published.`,
      relaxed: 'by a relaxed access without a fence after it so far: it is ordered after nothing.',
      weak: 'by an ordinary access: it is ordered after nothing.'
    },
    standstill: {
      title: 'Who waits for what',
      seePanel: 'No thread can make progress. “Who waits for what” lists what each of them waits for, and who should provide it.',
      waitsFor: (what, one) => (one ? ' waits ' : ' wait ') + what,
      arrivals: (n, all) => `Missing: ${n} of ${counted(all, 'arrival')}.`,
      bytes: (n, all, come, flying) => `Missing: ${n} bytes. ${all} were announced in this phase, ${come} have arrived, and ${
          flying ? counted(flying, 'copy', 'copies') + ' still in flight.' : 'no copy is in flight.'}`,
      unannounced: n => `${n} bytes have arrived that no thread has announced in this phase.`,
      threads: (n, all) => `Missing: ${n} of ${counted(all, 'thread')}.`,
      should: who => `${english.upper(who)} should come`,
      would: (who, lines) => `${english.upper(who)} would arrive at ${lines}`,
      lastTime: who => `${english.upper(who)} should: last seen to do so at `,
      now: text => `; now ${text}`,
      waits: what => 'waiting ' + what,
      stands: 'on the way',
      ended: 'ended',
      asOn: name => `No thread has arrived on it yet; those named here have arrived on ${name}.`,
      noneLeft: (own, some) => own ?
          (some ? 'All threads that have ever arrived there have arrived in this phase, too: no other thread is left.' :
                  'No thread is left that could.') :
          (some ? 'No other thread is left.' : 'No thread has ever arrived on it.'),
      cycle: 'Each of them waits for another one of them: none can go on.'
    },
    rule: f => ({title: f.title, told: [f.message], remedy: f.remedy, original: []}),
    edge: {
      missing: 'What is missing',
      wrong: 'What is wrong',
      legend: 'missing: the first access has to happen before the second',
      makes: 'What would make the edge: ',
      todo: 'What to do: ',
      label: (a, b) => `${a}, and nothing orders it before: ${b}`,
      first: n => 'first access: step ' + n,
      second: n => 'second access: step ' + n,
      related: n => 'see also: step ' + n,
      where: n => 'where: step ' + n,
      notHere: n => (n ? `It is near step ${n}, which is not among the recorded ones.` : 'It is not among the recorded steps.'),
      more: n => counted(n, 'more finding'),
      severity: {error: 'error', warning: 'warning'},
      original: ''
    },
    maps: {
      where: ['constant or parameter', 'global memory', 'shared memory'],
      host: 'As it was before the launch: nothing has changed it among these steps.',
      unchanged: 'Nothing has changed it among these steps; what happened before them is not known here.',
      shared: 'A working copy: the copy unit does not read maps in shared memory.',
      changed: (by, n) => `Changed by ${by} at step ${n}. Not released: copies may still see the old map.`,
      released: (by, n) => `Released by ${by} at step ${n}.`,
      nobody: 'Acquired by nobody yet: copies may still see the old map.',
      acquired: (by, n) => `Acquired by ${by} at step ${n}.`,
      early: (by, n) => `${english.upper(by)} acquired it at step ${n}, but was not ordered after the release.`,
      used: (by, n) => `Used by a copy of ${by} at step ${n}.`,
      generic: 'generic proxy',
      tensormap: 'tensormap proxy',
      current: 'current',
      stale: 'may be stale',
      never: 'No tensor map has been used yet.'
    },
  };
})();
