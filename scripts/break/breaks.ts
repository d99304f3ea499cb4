/** A mechanism, how to break it, and the tests of which one must fail then. */
export interface Break {
  mechanism: string
  file: string
  before: string
  after: string
  tests: readonly string[]
}

function row(
  mechanism: string,
  file: string,
  [before, after]: readonly [string, string],
  ...tests: string[]
): Break {
  return {
    ...{ mechanism, before, after, file: `src/${file}.ts` },
    tests: tests.map((test) => `test/${test}.test.ts`),
  }
}

const model = 'worker/model'

export const breaks: readonly Break[] = [
  row(
    'an accepted event is stored whole',
    'spool/event-file',
    ['[formatHeader(header), kept]', '[formatHeader(header)]'],
    'spool/event-file',
  ),
  row(
    'a file is on the disk before it is in its place',
    'fs/durable',
    ['      fsyncSync(file)\n', ''],
    'fs/durable',
  ),
  row(
    'only one worker gets an event',
    'spool/claim',
    [
      'if (move(claim.from, claim.path)) return claim\n',
      'move(claim.from, claim.path)\n    if (claim) return claim\n',
    ],
    'spool/claim',
  ),
  row(
    'the claims of a living worker are left alone',
    'spool/claim',
    [' || !isAbandoned(folder, token)) continue', ') continue'],
    'spool/claim',
  ),
  row(
    'a crash is counted',
    'spool/claim',
    ['parsed.crashes + (isCrash ? 1 : 0)', 'parsed.crashes'],
    'spool/claim',
  ),
  row(
    'a reboot counts as no crash',
    'spool/claim',
    ['const isCrash = !isOfOtherBoot(token)', 'const isCrash = true'],
    'worker/crash',
    'spool/claim',
  ),
  row(
    'a kill while a card is moved does not double it',
    'spool/claim',
    ['if (this.#isInCards(path, parsed.id)) unlinkSync(path)\n      else placeCard', 'placeCard'],
    'spool/claim',
  ),
  row(
    'a card overwrites no other card of its event',
    'spool/card',
    ['    linkSync(from, to)\n    unlinkSync(from)\n', '    renameFile(from, to)\n'],
    'spool/claim',
  ),
  row(
    'a card that could not be synced is taken back',
    'spool/card',
    ['    path = join(folder, name)\n', ''],
    'spool/store',
  ),
  row(
    'what is kept is written to the disk',
    'spool/cards',
    [
      'await this.#change(wait.event, () => this.#write(wait, open))',
      'await this.#change(wait.event, async () => void open)',
    ],
    model,
  ),
  row(
    'a delivery is not due before its card is written',
    'spool/cards',
    ['!this.index.beingWritten.has(id)', 'id'],
    'spool/store',
  ),
  row('a settled card is removed', 'spool/cards', ['    this.#claims.remove(claim)\n', ''], model),
  row(
    'a channel that settles during a write leaves no card',
    'spool/cards',
    ['    if (file.waits.size === 0) return this.#remove(file, claim)\n', ''],
    'spool/store',
    model,
  ),
  row(
    'a delivery that is given back waits again',
    'spool/cards',
    [
      ': unreadable(id, file.event, channel))\n    await this.#putBack(file)\n',
      ': unreadable(id, file.event, channel))\n',
    ],
    model,
    'worker/held',
  ),
  row(
    'what is due is sent in the order of acceptance',
    'spool/card-index',
    ['      .sort(byAcceptance)\n', ''],
    'spool/store',
  ),
  row(
    'a card is found although another one has the same channel',
    'spool/card-index',
    ['        if (wait) return { file, wait }', '        return wait && { file, wait }'],
    'spool/store',
  ),
  row(
    'a clock that is set back makes deliveries due',
    'spool/card-index',
    ['if (now < since || isFlushed', 'if (isFlushed'],
    'spool/store',
  ),
  row(
    'a flush makes failed deliveries due',
    'spool/card-index',
    [' || isFlushed(wait, this.#flushedAt, now)) return 0', ') return 0'],
    'worker/control',
    'spool/requests',
  ),
  row(
    'a failed delivery is kept before it is recorded',
    'worker/dispatch/settle',
    [
      "  try {\n    if ('delivery' in outcome) await keep(outcome, deps, queued.parts)\n  } catch {\n    return await retryInMemory(outcome, deps, queued)\n  }\n  await recordOutcome(short, outcome, deps)\n",
      "  await recordOutcome(short, outcome, deps)\n  try {\n    if ('delivery' in outcome) await keep(outcome, deps, queued.parts)\n  } catch {\n    return await retryInMemory(outcome, deps, queued)\n  }\n",
    ],
    'worker/dispatch/settle',
  ),
  row(
    'a full disk stops no delivery',
    'worker/dispatch/settle',
    ['    return await retryInMemory(outcome, deps, queued)\n', '    return false\n'],
    'worker/dispatch/settle',
  ),
  row(
    'what was purged while it was sent is not tried again',
    'worker/dispatch/settle',
    [
      '  return isKept && isPurged(since, deps) ? purged : outcome\n',
      '  return isKept && since < 0 ? purged : outcome\n',
    ],
    'worker/dispatch/settle',
  ),
  row(
    'the end of a question withdraws what is shown late',
    'worker/dispatch/settle',
    ["  if (outcome.type === 'delivered') await deps.open.review(delivery.message)\n", ''],
    'worker/dispatch/settle',
  ),
  row(
    'what stays shown is kept',
    'worker/watch/shown-messages',
    ['      await this.#store.keepShown(shown)\n', ''],
    'worker/watch/open-messages',
    'worker/watch/shown-messages',
  ),
  row(
    'only what is still shown is changed',
    'spool/store',
    [
      'return isSame ? this.#cards.take(id) : undefined',
      'return isSame || id ? this.#cards.take(id) : undefined',
    ],
    'worker/watch/shown-messages',
  ),
  row(
    'a report of a worker that ended goes to another channel',
    'worker/own-messages/notices',
    [' ?? this.#ofEarlierWorker(outcome)', ''],
    'worker/own-messages/alarms',
  ),
  row(
    'a question that reached nobody is reported',
    'worker/dispatch/settle',
    ['  await deps.alarms.ended(delivery, outcome)\n', ''],
    'worker/own-messages/alarms',
  ),
  row(
    'the next step goes at once if the steps before it failed',
    'worker/dispatch/settle',
    ['  if (isFailure(outcome.type)) await reviewSteps(delivery, deps)\n', ''],
    'worker/dispatch/next-step',
    'worker/steps',
  ),
  row(
    'a line that cannot be written is written later',
    'journal/journal',
    ['        this.failure = error\n', '        this.failure = error\n        break\n'],
    'journal/journal',
  ),
  row(
    'the journal keeps no secret',
    'journal/journal',
    [
      'const clean = withCleanTexts(entry, secrets)',
      'const clean = secrets ? { ...entry } : withCleanTexts(entry, secrets)',
    ],
    'journal/journal',
  ),
  row(
    'a checkpoint is used only for the journal of which it was made',
    'journal/read',
    ['.before === position.before', '.inode === position.inode'],
    'journal/fold',
  ),
  row(
    'what the journal has gained since the checkpoint is read across rotations',
    'journal/read',
    [
      'this.#readFiles(files.slice(index), offset, visitor)',
      'this.#readFiles(files.slice(index, index + 1), offset, visitor)',
    ],
    'journal/fold',
  ),
  row(
    'what is counted goes with its file of the journal',
    'journal/fold',
    ['    this.#file += 1\n', ''],
    'journal/fold',
  ),
  row(
    'a channel that works again is not dead any more',
    'journal/fold',
    ["    if (entry.type === 'delivered') this.#deadChannels.delete(entry.channel)\n", ''],
    'journal/fold',
  ),
  row(
    'the journal is asked what an earlier worker did',
    'worker/dispatch/dispatcher',
    ['    await this.#readResumed(waiting.filter(({ wasClaimed }) => wasClaimed))\n', ''],
    'worker/recovery',
  ),
  row(
    'events that may have crashed a worker come last',
    'worker/dispatch/dispatcher',
    ['waiting.filter(({ crashes }) => crashes === 0)', 'waiting'],
    'worker/crash',
    'worker/dispatch/dispatcher',
  ),
  row(
    'a worker that crashed three times is not tried a fourth time',
    'worker/dispatch/event-run',
    ['if (crashes >= MAX_CRASHES)', 'if (crashes >= 1000 * MAX_CRASHES)'],
    'worker/recovery',
  ),
  row(
    'the same for a delivery',
    'worker/dispatch/card-run',
    [
      '  if (claim.crashes >= MAX_CRASHES) {\n    const',
      '  if (claim.crashes >= 1000) {\n    const',
    ],
    'worker/recovery',
    'worker/dispatch/card-run',
  ),
  row(
    'an answer that waits is seen before a due question is sent',
    'worker/dispatch/dispatcher',
    [
      'if (isDueCheck) await this.#startDue(answered)',
      'if (isDueCheck && answered) await this.#startDue()',
    ],
    'worker/held',
  ),
  row(
    'the events of a session are judged in their order',
    'worker/dispatch/session-queue',
    ['const running = free ? free.then(work) : work()', 'const running = work()'],
    'worker/dispatch/session-queue',
  ),
  row(
    'permission questions go first',
    'deliver/destination-queue',
    [
      'const permission = this.#permissions.shift()\n',
      'const permission = this.#ready.length > 0 ? undefined : this.#permissions.shift()\n',
    ],
    'deliver/destination-queue',
  ),
  row(
    'the messages of a session keep their order',
    'deliver/destination-queue',
    ['    if (!this.#options.keepsOrder) this.#behind.set(session, [])\n', ''],
    'deliver/destination-queue',
    model,
  ),
  row(
    'a failed delivery is not overtaken where order is kept',
    'deliver/destination-queue',
    ['    this.#expected.set(id, { until', '    this.#expected.set(`not ${id}`, { until'],
    'deliver/destination-queue',
  ),
  row(
    'one message probes a destination that failed',
    'deliver/destination-queue',
    ['this.isFailing ? 1 : this', 'this.isFailing ? 4 : this'],
    'deliver/destination-queue',
  ),
  row(
    'a destination that failed is left alone for a while',
    'deliver/destination-queue',
    ['    this.#trippedUntil = Math.max(this.#trippedUntil, this.#now() + ms)\n', ''],
    'deliver/destination-queue',
  ),
  row(
    'the wait doubles with each failure',
    'deliver/attempt',
    ['2 ** (attempt - 1)', '2'],
    'deliver/attempt',
  ),
  row(
    'a delivery gives up after its attempts',
    'deliver/attempt',
    ['if (attempt >= policy.maxAttempts)', 'if (attempt < 0)'],
    'deliver/attempt',
  ),
  row(
    'hold stops sending',
    'worker/run',
    [
      'const isHeld = isOnHold(options.stateDir)',
      'const isHeld = isOnHold(`${options.stateDir}/no`)',
    ],
    model,
  ),
  row(
    'hold stops what is queued',
    'worker/run',
    ['  deliverer.setPaused(isHeld)\n', ''],
    'worker/control',
  ),
  row(
    'a flush ends the pauses of destinations',
    'worker/run',
    ['if (store.takeFlush()) deliverer.reset()', 'store.takeFlush()'],
    'worker/control',
  ),
  row(
    'a purge drops what the worker has queued',
    'worker/run',
    ['  if (purged.hasNew()) deliverer.dropAll(PURGED)\n', ''],
    'worker/control',
    model,
  ),
  row(
    'a newer worker takes over',
    'worker/run',
    ['ending?.aborted === true || handoverRequested(stateDir)', 'ending?.aborted === true'],
    'worker/upgrade',
    'worker/control',
  ),
  row(
    'a changed configuration makes failed deliveries due',
    'worker/run',
    ['    store.makeDue(config.changedAt())\n', ''],
    'worker/attempts',
    'worker/control',
  ),
  row(
    'one worker runs at a time',
    'worker/run',
    [
      '  if (!acquireLock(options.stateDir)) {',
      '  if (!acquireLock(options.stateDir) && options.stateDir === "") {',
    ],
    'worker/start',
    'worker/crash',
    'worker/control',
  ),
  row(
    'an event that comes while the worker ends is handled',
    'worker/run',
    [
      'hasWork(deps, dispatcher) && acquireLock(stateDir)',
      'hasWork(deps, dispatcher) && acquireLock(stateDir) && stateDir === ""',
    ],
    'worker/crash',
  ),
  row(
    'messages go directly while the hub is down',
    'deliver/deliverer',
    ['line.isBypassed = waitMs === 0', 'line.isBypassed = waitMs < 0'],
    'worker/hub',
  ),
  row(
    'what is held is judged again when it is due',
    'worker/dispatch/judge-again',
    ["if (typeof review === 'string') {", "if (typeof review === 'string' && !now) {"],
    model,
    'worker/held',
  ),
  row(
    'a mute is asked before each attempt',
    'worker/dispatch/judge-again',
    [
      'const muted = await whyMuted(delivery, deps)',
      'const muted = await whyMuted({ ...delivery, isUnconditional: true }, deps)',
    ],
    model,
    'worker/dispatch/judge-again',
  ),
  row(
    'quiet hours are asked before each attempt',
    'worker/dispatch/judge-again',
    ['delivery.isUnconditional ? undefined : quietHold', 'delivery ? undefined : quietHold'],
    'worker/dispatch/judge-again',
    'worker/held',
  ),
  row(
    'an answered question is not sent',
    'worker/watch/shown-messages',
    [
      'if (!end || others.includes(undefined)) return undefined',
      'if (end || others.includes(undefined)) return undefined',
    ],
    model,
    'worker/watch/open-messages',
  ),
]
