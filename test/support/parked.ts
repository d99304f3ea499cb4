import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { listQuietly } from '../../src/fs/read.ts'
import { type Card, type Open, readCardQuietly, type ShownState } from '../../src/spool/card.ts'
import { parseName, type Spool } from '../../src/spool/layout.ts'

// What the tests know of how open deliveries wait on the disk.

type Folder = 'cards' | 'dead'

/** An open delivery, as a test describes it. */
export type Parked = Omit<Open, 'state'> & { isHeld: boolean }

/** The deliveries that wait for their time: event and channel, with `~n` once a worker has had them. */
export function listParked(spool: Pick<Spool, 'cards'>): string[] {
  return listIn(spool.cards)
}

/** The deliveries that gave up: event and channel; and the events that cannot be handled, by their ids. */
export function listDeadItems(spool: Pick<Spool, 'dead'>): string[] {
  return listIn(spool.dead)
}

/** Lets a delivery wait for its time. */
export function park(spool: Spool, { isHeld, ...open }: Parked) {
  add(spool, 'cards', { ...open, state: isHeld ? 'held' : 'deferred' })
}

/** Keeps a delivery that gave up. */
export function parkDead(spool: Spool, { isHeld: _, ...open }: Parked) {
  add(spool, 'dead', { ...open, state: 'dead' })
}

/** @param name as `listParked` returns it */
export function parkedOf(spool: Spool, name: string): Parked | undefined {
  const { file, channel } = find(spool, name)
  const { state, ...open } = readCardQuietly(file)?.get(channel) ?? {}
  return state === undefined ? undefined : { ...(open as Open), isHeld: state === 'held' }
}

/** @param name as `listDeadItems` returns it */
export function deadOf(spool: Spool, name: string): Open | undefined {
  const { file, channel } = find(spool, name, 'dead')
  const dead = readCardQuietly(file)?.get(channel)
  return dead?.state === 'shown' ? undefined : dead
}

/** What channels show, oldest first. */
export function listShown({ cards, cur }: Pick<Spool, 'cards' | 'cur'>): ShownState[] {
  const folders = [cards, ...listQuietly(cur).map((owner) => join(cur, owner))]
  const all = folders.flatMap((folder) =>
    listQuietly(folder).flatMap((name) => [
      ...(readCardQuietly(join(folder, name))?.values() ?? []),
    ]),
  )
  const shown = all.flatMap((one) => (one.state === 'shown' ? one : []))
  return shown.sort((one, other) => one.since - other.since)
}

/** Changes a delivery in place, while no worker runs. */
export function changeParked(spool: Spool, name: string, change: (parked: Parked) => Parked) {
  const parked = parkedOf(spool, name)
  if (!parked) throw new Error(`${name} does not wait`)
  const { file, channel } = find(spool, name)
  const { isHeld, ...open } = change(parked)
  const card = new Map(readCardQuietly(file))
  write(file, card.set(channel, { ...open, state: isHeld ? 'held' : 'deferred' }))
}

/** As after so many workers have crashed while they had the delivery. */
export function setCrashes(spool: Spool, name: string, crashes: number) {
  const { file } = find(spool, name)
  const { id = '' } = parseName(file.slice(file.lastIndexOf('/') + 1)) ?? {}
  renameSync(file, join(spool.cards, `${id}~${crashes}.json`))
}

export function removeParked(spool: Spool, name: string) {
  const { file, channel } = find(spool, name)
  const card = new Map(readCardQuietly(file))
  card.delete(channel)
  if (card.size === 0) rmSync(file)
  else write(file, card)
}

export function damageParked(spool: Spool, name: string) {
  writeFileSync(find(spool, name).file, '{')
}

/** As if another worker had claimed the delivery. @returns where its card is from now on */
export function claimParked(spool: Spool, name: string, owner: string): string {
  const { file } = find(spool, name)
  const path = join(spool.cur, owner, file.slice(file.lastIndexOf('/') + 1))
  mkdirSync(join(spool.cur, owner), { recursive: true })
  renameSync(file, path)
  return path
}

/** The text of the card, to be put there again or changed. */
export function textOfParked(spool: Spool, name: string): { file: string; text: string } {
  const { file } = find(spool, name)
  return { file, text: readFileSync(file, 'utf8') }
}

function listIn(folder: string): string[] {
  const all = listQuietly(folder).flatMap((name) => {
    const parsed = parseName(name)
    if (!parsed?.isCard) return name
    const suffix = name.includes('~') ? `~${parsed.crashes}` : ''
    const card = readCardQuietly(join(folder, name))
    if (!card) return name.replace(/\.json$/, '')
    const waiting = [...card].filter(([, { state }]) => state !== 'shown')
    const channels = waiting.map(([channel]) => channel)
    return channels.map((channel) => `${parsed.id}.${channel}${suffix}`)
  })
  return all.sort()
}

function find(spool: Spool, name: string, folder: Folder = 'cards') {
  for (const file of listQuietly(spool[folder])) {
    for (const [channel, one] of readCardQuietly(join(spool[folder], file)) ?? []) {
      if (one.state !== 'shown' && one.delivery.id === name.replace(/~\d+$/, ''))
        return { file: join(spool[folder], file), channel }
    }
  }
  return { file: join(spool[folder], `${name}.json`), channel: '' }
}

function add(spool: Spool, folder: Folder, open: Open) {
  const { channel, events } = open.delivery
  const file = join(spool[folder], `${events[0]}.json`)
  write(file, new Map(readCardQuietly(file)).set(channel, open))
}

function write(file: string, card: Card) {
  const channels = Object.fromEntries(card)
  const text = JSON.stringify({ format: 'hookbell-card 1', channels })
  // Another file takes its place, as when a worker writes it.
  writeFileSync(`${file}.new`, text, { mode: 0o600 })
  renameSync(`${file}.new`, file)
}
