// The page's words in Chinese.
const chinese = (function() {
  const strong = s => ({a: '（acquire）', r: '（release）', b: '（acquire 和 release）', x: '（relaxed）'}[s.order] || '');
  const times = s => (s.times > 1 ? `（${s.times} 条指令）` : '');
  const from = s => (s.text ? `从 ${globalName(s.text)} ` : '');
  const using = s => (s.map >= 0 ? `，使用张量映射 ${mapName(s.map)}` : '');
  // The device's own sentence is English: the title of the rule says the same. In the order of events::Stopped::Why.
  const stopRules =
      ['out-of-bounds', 'use-after-free', 'read-only-write', 'misaligned-access', 'divergent-barrier', 'runaway-loop', 'deadlock'];
  const stopped = s => (s.text ? chineseRules[stopRules[s.number]].title + '。' : '');

  const say = {
    read: s => [`${who(s)} 读取 ${where(s)}${strong(s)}${times(s)}`, ''],
    write: s => s.map >= 0 ?
        [`${who(s)} 修改张量映射 ${mapName(s.map)}`, '修改经由通用代理进行：经过 release 和 acquire 之后，拷贝才一定看得到。'] :
        [
          `${who(s)} 写入 ${where(s)}${strong(s)}${times(s)}`,
          s.global ? '' : '这个 warp 自己看得到这些值；其他 warp 与它同步之后才看得到。'
        ],
    atomic: s => [`${who(s)} 原子地更新 ${where(s)}${strong(s)}${times(s)}`, ''],
    copy: s =>
        [`${who(s)} 发出 cp.async，${from(s)}拷贝 ${s.bytes} 字节到 ${bytesText(s)}${times(s)}`,
         '这些字节在途：在等待确认它们已经到达之前，随时可能落地。'],
    commit: s => [`${who(s)} 提交一个 cp.async 组`, '组内是这些线程自上次提交以来发出的拷贝。'],
    wait_group: s =>
        [`${who(s)} ${s.number <= 0 ? '等到了自己所有的 cp.async 组' : `等到了自己的 cp.async 组，最新的 ${s.number} 个除外`}`,
         '这些组的拷贝已经完成，但只有发出它们的线程排在完成之后。其他线程还需要一个屏障。'],
    arrive: s => [`${who(s)} 到达${barName(s.number)}`, ''],
    complete: s => [`${barName(s.number)}完成`, '参与的线程在它之前所做的一切，都先于它们在它之后所做的一切。'],
    cluster_pass: s => [`${who(s)} 等到了 cluster 屏障`, ''],
    init: s => [`${who(s)} 初始化 ${mbarrier(s.what)}，每个相位期望 ${s.what >= 0 ? R.barriers[s.what][3] : 0} 次到达`, ''],
    mbarrier: s => [`${who(s)} 改变 ${mbarrier(s.what)} 的 tx-count`, '登记的字节到齐之前，这个相位不会完成。'],
    m_arrive: s => [`${who(s)} 在 ${mbarrier(s.what)} 上到达`, ''],
    m_track: s => [`${who(s)} 让自己迄今的 cp.async 在 ${mbarrier(s.what)} 上到达`, '拷贝完成时才会到达。'],
    m_copies: s => [`${who(s)} 的 cp.async 已经完成，在 ${mbarrier(s.what)} 上到达`, ''],
    blocks: s => [`${who(s)} 等待 ${mbarrier(s.what)} 的奇偶位 ${s.number}`, '所询问的相位还没有完成。'],
    m_pass: s =>
        [`${who(s)} 等到了 ${mbarrier(s.what)}：相位 ${s.number - 1}（奇偶位 ${s.number - 1 & 1}）已经完成`,
         '现在它排在那个相位的到达之后，看得到使相位完成的那些字节。'],
    m_end: s => [`${who(s)} 使 ${mbarrier(s.what)} 失效`, ''],
    bulk_load: s =>
        [`${who(s)} 发出${
             s.first === 2 ? '取消 cluster 启动的请求，应答' :
                 s.first   ? '异步 store，' :
                             ' bulk 拷贝，'}${from(s)}${s.first ? '写' : '拷贝'} ${s.bytes} 字节到 ${bytesText(s)}${using(s)}`,
         `这些字节在途。落地之后，${mbarrier(s.what)} 的 tx-count 相应减少。`],
    bulk_store: s =>
        [`${who(s)} 发出 bulk 拷贝，从 ${bytesText(s)} 拷贝 ${s.bytes} 字节${s.text ? ` 到 ${globalName(s.text)}` : ''}${using(s)}`,
         '在等待 bulk 组确认源已经读完之前，异步代理随时可能读取源。'],
    bulk_commit: s => [`${who(s)} 提交一个 bulk 组`, ''],
    bulk_wait: s => [`${who(s)} 等到了 bulk 组${s.first ? '读完源' : ''}`, ''],
    landed:
        s => [`${s.bytes} 字节落到 ${bytesText(s)}，计入 ${mbarrier(s.what)}`, '还没有线程可以读取它们：等到了这个相位的线程才看得到。'],
    fence: s => [`${who(s)} 执行 fence`, ''],
    proxy_fence: s => [`${who(s)} 执行 fence.proxy.async`, '它迄今的访问排在这个 fence 之后的异步拷贝之前。'],
    warp_sync: s => [`${who(s)} 同步各个 lane`, ''],
    map_fence: s => s.order === 'a' ?
        [
          `${who(s)} 对张量映射 ${mapName(s.map)} 做 acquire`,
          'tile 拷贝经由 tensormap 代理读取张量映射。排在这个 acquire 之后的拷贝，用的是 release 时的内容。'
        ] :
        [`${who(s)} 对自己修改过的张量映射做 release`, '使用它们的每个线程块还要做 acquire。'],
    map_copy: s => [`${who(s)} 把张量映射 ${mapName(s.what)} 拷贝到 ${mapName(s.map)}，并做 release`, '使用它的每个线程块还要做 acquire。'],
    t_alloc: s =>
        [`${who(s)} 分配 Tensor Memory 的${cellsText(s, 1)}`, '写入之前，这些单元的值未定义。其他 warp 与它同步之后才可以使用这个地址。'],
    t_free: s => [`${who(s)} 释放 Tensor Memory 的${cellsText(s, 1)}`, ''],
    t_issue: s =>
        [`${who(s)} 发出${operation(s)}${s.ranges.length ? `，操作数为 ${bytesText(s)}` : ''}，${s.text === 'mma' ? '累加器在' : '写入'}${
             cellsText(s, 1)}${s.group > 1 ? '，由一对线程块执行' : ''}`,
         '它在途：在它的 commit 到达 mbarrier 之前，随时可能读取操作数、写入结果。'],
    t_done: s => {
      const by = ofOperation(s);
      return [
        `${by ? `第 ${numberOf(by.i)} 步的${operation(by)}` : '一个 tcgen05 操作'}完成：${cellsText(s, 1)}`,
        '线程等到它的 commit 之后，才排在它之后。'
      ];
    },
    t_access: s => s.first ? [`${who(s)} 写入 Tensor Memory 的${cellsText(s, 1)}${times(s)}`, '在 tcgen05.wait::st 之前，这次写入在途。'] :
                             [
                               `${who(s)} 读取 Tensor Memory 的${cellsText(s, 0)}${times(s)}`,
                               '这次读取在途：使用寄存器、覆盖这些单元，都要等到 tcgen05.wait::ld 之后。'
                             ],
    t_wait: s =>
        [`${who(s)} 等到了自己对 Tensor Memory 的${s.first ? '写入' : '读取'}`, '它们已经完成。其他 warp 需要一个屏障，才排在它们之后。'],
    t_commit: s => {
      const list = (committed.get(s.i) || []).map(numberOf);
      return [
        `${who(s)} 把自己迄今的 tcgen05 操作${list.length ? `（第 ${ranges(list)} 步）` : ''}提交到 ${
                [s.what, ...s.also].map(mbarrier).join('和')}`,
        '它们完成时，commit 在那里到达。'
      ];
    },
    t_arrive: s => {
      const by = ofOperation(s);
      return [
        `${by ? `第 ${numberOf(by.i)} 步的` : who(s) + ' 的'} commit 在 ${mbarrier(s.what)} 上到达`,
        '它的操作已经完成。等到这个相位的线程可以使用其结果。'
      ];
    },
    t_fence: s =>
        [`${who(s)} 执行 tcgen05.fence::${s.first ? 'after' : 'before'}_thread_sync`,
         s.first ? '此后它的 tcgen05 操作排在与它同步过的线程之后。' : '它迄今的 tcgen05 访问排在此后与它同步的线程之前。'],
    misuse: s => [s.text ? `设备停止了 ${who(s)}` : `${who(s)} 做了不允许的事`, stopped(s)],
    exit: s => [`线程块 ${R.blocks[s.block]} 结束`, ''],
  };
  const short = {
    commit: () => '提交组',
    wait_group: s => (s.number <= 0 ? '等待所有的组' : `等待组，最新的 ${s.number} 个除外`),
    m_track: s => '拷贝将在 ' + mbarrier(s.what) + ' 上到达',
    m_arrive: s => '在 ' + mbarrier(s.what) + ' 上到达',
    m_pass: s => `等到了 ${mbarrier(s.what)} 的相位 ${s.number - 1}`,
    bulk_commit: () => '提交 bulk 组',
    bulk_wait: s => (s.first ? '等待 bulk 组读完' : '等待 bulk 组'),
    fence: () => 'fence',
    proxy_fence: () => 'fence.proxy.async',
    cluster_pass: () => '等到了 cluster',
    landed: () => '字节落地',
    complete: s => barName(s.number) + '完成',
    arrive: s => '到达' + barName(s.number),
    map_fence: s => (s.order === 'a' ? 'acquire ' + mapName(s.map) : 'release 张量映射'),
    copy: s => 'cp.async 到 ' + bytesText(s),
    bulk_load: s => '拷贝到 ' + bytesText(s),
    bulk_store: s => '拷贝自 ' + bytesText(s),
    read: s => '读取 ' + where(s) + strong(s),
    write: s => '写入 ' + where(s) + strong(s),
    atomic: s => '更新 ' + where(s) + strong(s),
    warp_sync: () => '__syncwarp()',
    map_copy: s => '把张量映射拷贝到 ' + mapName(s.map),
    t_alloc: s => '分配' + cellsText(s, 1),
    t_free: s => '释放' + cellsText(s, 1),
    t_issue: s => `${operation(s)}，写入${cellsText(s, 1)}`,
    t_access: s => (s.first ? '写入' : '读取') + cellsText(s, s.first),
    t_wait: s => 'tcgen05.wait::' + (s.first ? 'st' : 'ld'),
    t_commit: s => '提交到 ' + mbarrier(s.what),
    t_arrive: s => 'commit 在 ' + mbarrier(s.what) + ' 上到达',
    t_fence: s => `tcgen05.fence::${s.first ? 'after' : 'before'}_thread_sync`,
  };

  return {
    say,
    short,
    stop: '。',
    gap: '',
    upper: text => text,
    and: '和',
    list: '、',
    colon: '：',
    sharedMemory: '共享内存',
    globalMemory: '全局内存',
    otherBytes: '其余字节',
    aMbarrier: '某个 mbarrier',
    aMap: '某个张量映射',
    more: n => `等，另有 ${n} 处`,
    bytes: (b, e) => `字节 ${b}–${e}`,
    of: (part, name) => `${name} 的${part}`,
    inBlock: block => `（线程块 ${block}）`,
    byteOf: (n, name) => (+n ? `${name} 的第 ${n} 字节` : name),
    thread: n => '线程 ' + n,
    threads: list => '线程 ' + list,
    wholeWarp: (w, list) => `warp ${w}（线程 ${list}）`,
    someThreads: (n, w) => `warp ${w} 的 ${n} 个线程`,
    warps: list => 'warp ' + list,
    barrier: n => '屏障 ' + n,
    clusterBarrier: ' cluster 屏障',
    stepNumber: n => `第 ${n} 步`,
    stepOf: (n, all) => `第 ${n} 步，共 ${all} 步`,
    groups: {
      copies: '拷贝',
      groups: '组及其等待',
      bars: '线程块与 cluster 的屏障',
      mbars: 'mbarrier',
      accesses: '读和写',
      maps: '张量映射',
      tensors: 'Tensor Memory',
      fences: 'fence',
      ends: '结束与错误'
    },
    any: '任意一步',
    findings: '发现的问题',
    about: (blocks, warps) => `kernel ${R.kernel}，grid 为 ${R.grid}，这里是${blocks}，有 ${warps} 个 warp、${
        R.threads} 个线程。每一步是一个 warp 的一次访问、拷贝、等待、到达或 fence，按模拟设备执行的顺序排列。`,
    blocks: list => (R.blocks.length > 1 && R.blocks.length <= R.cluster ? `线程块 ${list}（一个 cluster）` : `线程块 ${list}`),
    bounds: (first, last, all, blocks) =>
        first === 1 && last === all ? `${blocks}的全部 ${all} 步都在这里。` : `这里是全部 ${all} 步中的第 ${first} 到 ${last} 步。`,
    window: all =>
        ['要看别的步，请在命令后加上 ', ['code', '--from N'], `，N 是要显示的第一步，1 到 ${all}。`, ['code', '--block N'],
         ' 记录另一个线程块。'],
    bytesBefore: '在此之前发生的事，这里无从得知。',
    mbarrierAt: at => `地址 ${at} 处的 mbarrier`,
    nothingOrders: (n, later) =>
        later ? `没有任何同步保证它发生在第 ${n} 步之后。` : `没有任何同步保证它发生在第 ${n} 步之前，而那一步使用同样的字节。`,
    tags: {second: '第二次访问', first: '第一次访问', finding: '问题'},
    phaseComplete: (phase, name) => `${name} 的相位 ${phase} 完成。`,
    lacks: (name, pending, tx) => `${name} ${
        pending || tx > 0 ? '还缺' + [pending ? ` ${pending} 次到达` : '', tx > 0 ? ` ${tx} 字节` : ''].filter(Boolean).join('和') :
                                                '什么都不缺'                    }${tx < 0 ? `，已经到达的字节比登记的多 ${- tx}` : ''                    }。`,
    next: '，下一步在这里',
    waiting: '，在这里等待',
    verb: what => ({end: '已经结束', run: '正在运行', ready: '就绪', wait: '等待'}[what]),
    waits: {
                          lanes: '同一 warp 的其他 lane',
                          barrier: (n, arrived, all) => `屏障 ${n}${all ? `（${all} 个线程中已到达 ${arrived} 个）` : ''                    }`,
      cluster: 'cluster 屏障',
      columns: 'Tensor Memory 的列',
      parity: (n, name) => `${name} 的奇偶位 ${n}`
    },
    queue: {
                          cut: n => 'N = ' + n,
                          readCut: n => 'read N = ' + n,
                          cutTitle: '右边是上一次等待允许继续在途的组',
                          none: '没有组',
                          group: n => '组 ' + n,
                          open: '未提交',
                          empty: '空',
                          bulk: 'bulk 组',
                          titles: {
                            done: '已完成：它的线程已经等到',
                            empty: '不含拷贝，但计入 N',
                            read: '源已经读完',
                            flight: '已提交，尚未等待',
                            open: '尚未提交：没有 wait_group 涵盖这些拷贝'
      },
                          nobody: '还没有 warp 发出拷贝。'
    },
    bars: {
                          someOf: (n, w) => `warp ${w} 的 ${n} 个线程`,
      several: n => `几个线程块的 ${n} 个 warp`,
      nobody: '暂无',
      meter: (n, all) => `${all} 个线程中已到达 ${n} 个`,
      threads: (n, all, over) => `${n} / ${all} 个线程 · 已完成 ${over} 次`,
      arrived: '已到达：',
      phase: n => '相位 ' + n,
      parity: n => ` 奇偶位 ${n}`,
      arrivals: (n, all) => `${n} / ${all} 次到达`,
      pending: (n, all) => `${all} 次到达中还缺 ${n} 次`,
      odd: n => `已到达的字节比登记的多 ${n}`,
      bytes: n => `还有 ${n} 字节未到`,
      wait: warps => warps + ' 在等待',
      none: '还没有用到屏障。'
    },
    states: {
                          never: ['从未写过', '没有线程写过这些字节'],
                          flight: ['在途', '拷贝正在写：随时可能改变'],
                          landed: ['已落地，没有 warp 等到', '已经完成，但还没有 warp 等待过它'],
                          own: ['只有拷贝的线程知道', '每个拷贝的线程都等到了自己的拷贝；其他线程并不知道'],
                          some: ['对部分 warp 可见', '其他 warp 没有排在这次写之后'],
                          all: ['对所有 warp 可见', '线程块的每个 warp 都排在这次写之后'],
                          used: ['读完并已交接', '已经读过，并且另一个 warp 知道：可以覆盖'],
    },
    notYet: ['这些步里尚未写过', '在这些步里没有写过；更早写入的内容，这里无从得知'],
    memory: {
                          fenced: ' · 已为异步代理做过 fence',
                          unfenced: ' · 没有为异步代理做 fence',
                          uses: {reads: '读取', lands: '写入', writes: '写入'},
                          usesPart: use => `；这一步${use}其中一部分`,
      used: '这一步所用',
      visibleTo: warps => `只对 ${warps} 可见`,
      completesOn: name => `在途，在 ${name} 上完成`,
      rest: never => ' · 其余' + never,
      bytesRange: (b, e) => ` 字节 ${b}–${e}`
    },
    // The report's own words about this finding; where they are English (in the playground), what the rule says in
    // general. A specific remedy stands alone: the rule's general one might contradict it.
    rule: f => {
      const known = chineseRules[f.rule];
      if (!known) return english.rule(f);
      const translated = /[\u4e00-\u9fff]/.test(f.message + f.remedy);
      return translated ? {title: known.title, told: [f.message], remedy: f.remedy || known.remedy, original: []} :
                          {title: known.title, told: [known.why], remedy: f.remedy ? '' : known.remedy, original: [f.message, f.remedy]};
    },
    registers: {
      of: (thread, warp, lane) => `这一步之后，线程 ${thread}（warp ${warp}，lane ${lane}）的值。`,
      lane: 'lane',
      variable: '变量',
      register: 'PTX 寄存器',
      value: '值',
      unknown: '–',
      read: '读',
      written: '写',
      away: '已被优化掉：它所在的行没有留下指令',
      elsewhere: '不知道哪个寄存器保存它',
      none: '这一步没有记录寄存器的值。',
      cut: '记录很长时，只有部分步有这些值。'
    },
    flags: {
      unchanged: '这些步里没有改变过它。',
      none: '还没有用到标志。',
      raised: by => `${by} 改变了它。`,
      all: () => '这次改变带 release：在它之前的一切都随之公布。',
      fenced: n => `这次改变是 relaxed：公布的是第 ${n} 步的 fence 之前的内容。`,
      nothing: () => '这次改变不带 release，之前也没有 fence：这个线程此前写入的内容都没有公布。',
      seen: by => `${by} 看到了这次改变，`,
      acquires: '带 acquire：它排在所公布的一切之后。',
      fenceAcquires: n => `用的是 relaxed 访问；第 ${n} 步的 fence 取得了所公布的内容。`,
      relaxed: '用的是 relaxed 访问，到目前为止其后没有 fence：没有建立任何次序。',
      weak: '用的是普通访问：没有建立任何次序。'
    },
    standstill: {
      title: '谁在等什么',
      seePanel: '所有线程都无法继续。“谁在等什么”列出每个线程等待什么，以及应由谁来完成。',
      waitsFor: what => ' 等待' + what,
      arrivals: (n, all) => `还缺 ${all} 次到达中的 ${n} 次。`,
      bytes: (n, all, come, flying) =>
          `还缺 ${n} 字节：这个相位登记了 ${all} 字节，已到达 ${come} 字节，${flying ? `${flying} 个拷贝仍在途。` : '没有拷贝在途。'}`,
      unannounced: n => `已到达的字节中有 ${n} 字节在这个相位没有登记。`,
      threads: (n, all) => `还缺 ${all} 个线程中的 ${n} 个。`,
      should: who => `应由 ${who} 到达`,
      would: (who, lines) => `${who} 会在 ${lines} 到达`,
      lastTime: who => `应由 ${who} 到达，上一次到达是`,
      now: text => `；现在${text}`,
      waits: what => '正在等待' + what,
      stands: '还在途中',
      ended: '已经结束',
      asOn: name => `还没有线程在它上面到达；这里列出的是在 ${name} 上到达过的线程。`,
      noneLeft: (own, some) => own ? (some ? '曾经到达过的线程在这个相位也都已到达：没有其他线程了。' : '没有线程能再到达。') :
                                     (some ? '没有其他线程了。' : '从来没有线程在它上面到达。'),
      cycle: '它们互相等待，谁也无法继续。'
    },
    tensor: {
      cells: (columns, lanes) => (columns ? `第 ${columns} 列` : '若干列') + (lanes ? `、第 ${lanes} lane` : ''),
      pair: '（两个线程块）',
      block: n => '线程块 ' + n,
      lanes: list => 'lane ' + list,
      operation: (what, m, n) => (what === 'mma' ? ` ${m} × ${n} 的 MMA` : ` tcgen05.${what} `),
      note: (columns, s, at) => chinese.tensor.cells(columns, '') +
          (s.kind === 't_alloc' ? `，在 ${at} 分配` :
               s.text === 'mma' ? `，${at} 处 MMA 的累加器` :
                                  `，${at} 处的 ${s.kind === 't_access' ? (s.first ? 'tcgen05.st' : 'tcgen05.ld') : 'tcgen05.' + s.text}`),
      states: {
        free: ['未分配', '线程块的线程不得使用这些列'],
        never: ['已分配，未写过', '值未定义：tcgen05.alloc 之后没有写过'],
        flight: ['正在写入', '有操作或写入在途：随时可能改变'],
        reading: ['正在读取', '有读取或操作在途，正在读这些单元：不得覆盖'],
        landed: ['已完成，没有 warp 等到', '还没有 warp 等待过它的 commit'],
        some: ['已完成，部分 warp 等到', '其他 warp 没有排在这次写之后'],
        all: ['已完成，所有 warp 都等到', '线程块的每个 warp 都排在这次写之后'],
      }
    },
    origin: {
      putBy: name => `写入 ${name} 的是：`,
      madeOf: name => `这一步写入 ${name} 的值来自：`,
      map: name => `，经由张量映射 ${name}`,
      readBy: '在被覆盖之前，读取它的是：',
      unread: '在被覆盖（或这些步结束）之前没有被读取。（矩阵指令不在此列。）',
      never: name => `到这一步为止，${name} 还没有被写入。`,
      more: n => `另有 ${n} 个`
    },
    edge: {
      missing: '缺了什么',
      wrong: '错在哪里',
      legend: '缺失：第一次访问必须先于第二次',
      makes: '怎样补上这条边：',
      todo: '怎么办：',
      label: (a, b) => `${a}，没有任何同步保证它先于：${b}`,
      first: n => `第一次访问：第 ${n} 步`,
      second: n => `第二次访问：第 ${n} 步`,
      related: n => `另见：第 ${n} 步`,
      where: n => `位置：第 ${n} 步`,
      notHere: n => (n ? `在第 ${n} 步附近，不在已记录的步中。` : '不在已记录的步中。'),
      more: n => `另有 ${n} 个问题`,
      severity: {error: '错误', warning: '警告'},
      original: '报告原文（英文），说的是这一次：'
    },
    maps: {
      where: ['常量或参数', '全局内存', '共享内存'],
      host: '与启动前相同：这些步里没有修改过它。',
      unchanged: '这些步里没有修改过它；在此之前发生的事，这里无从得知。',
      shared: '工作副本：拷贝单元不读取共享内存中的张量映射。',
      changed: (by, n) => `${by} 在第 ${n} 步修改，尚未 release：拷贝看到的可能仍是旧的。`,
      released: (by, n) => `${by} 在第 ${n} 步做了 release。`,
      nobody: '还没有线程块做 acquire：拷贝看到的可能仍是旧的。',
      acquired: (by, n) => `${by} 在第 ${n} 步做了 acquire。`,
      early: (by, n) => `${by} 在第 ${n} 步做了 acquire，但没有排在 release 之后。`,
      used: (by, n) => `${by} 的拷贝在第 ${n} 步使用了它。`,
      generic: '通用代理',
      tensormap: 'tensormap 代理',
      current: '最新',
      stale: '可能是旧的',
      never: '还没有用到张量映射。'
    },
    page: {
      texts: {
        'source-title': '源代码',
        'warps-title': 'warp',
        'registers-title': '本行的寄存器',
        'edge-title': '缺了什么',
        'memory-title': '共享内存',
        'tensors-title': 'Tensor Memory',
        'origin-title': '字节从哪里来',
        'flags-title': '全局内存中的标志与原子操作',
        'groups-title': '拷贝的组',
        'barriers-title': '屏障',
        'maps-title': '张量映射',
        'kind-label': '要去的步的种类'
      },
      titles: {
        first: '第一步',
        back: '后退一步',
        forward: '前进一步',
        last: '最后一步',
        earlier: '上一个这类的步',
        later: '下一个这类的步',
        slider: '步'
      },
      keys:
          '<kbd>←</kbd> <kbd>→</kbd> 一步，加 <kbd>Shift</kbd> 十步；<kbd>Home</kbd> <kbd>End</kbd> 首尾；<kbd>p</kbd> <kbd>n</kbd> 所选种类的上一步和下一步；<kbd>f</kbd> 问题所在，<kbd>o</kbd> 它之前的那次访问。',
    },
  };
})();
