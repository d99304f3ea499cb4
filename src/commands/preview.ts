import { existsSync, statSync } from 'node:fs'
import { hostname } from 'node:os'
import { defineCommand } from 'citty'
import { paint, print, printJson, write } from '../cli/output.ts'
import { shellEnvironment } from '../clients/shell-environment.ts'
import { channelOf, readyChannels } from '../config/channels.ts'
import { CurrentConfig } from '../config/current.ts'
import type { LoadedConfig } from '../config/load/load.ts'
import { configDir, stateDir } from '../config/paths.ts'
import { howToSetIn } from '../config/secrets/how-to-set.ts'
import { HookbellError, usageError } from '../errors.ts'
import { readJournalOf } from '../journal/read.ts'
import { previewOf, type SampleName, type Source, sampleNames } from '../prepare/preview.ts'
import { Templates } from '../render/templates.ts'
import { escapeControls } from '../text/clean.ts'
import { visible } from '../text/redact/readings.ts'
import { redact } from '../text/redact/redact.ts'
import { didYouMean } from '../text/suggest.ts'
import { findEvent, findEvents, stateFolders } from './_events.ts'
import { writePrivate } from './_write-private.ts'
import { readText } from './api/read-input.ts'

const RECORDED = 'Made from the journal, which keeps the text as it was sent'

export const previewCommand = defineCommand({
  args: {
    event: {
      type: 'positional',
      required: false,
      description: `A sample (${sampleNames.join(', ')}), a file with a payload, - for stdin, or an event, by the start of its id, or: last. Default: permission`,
    },
    channel: {
      type: 'string',
      description: 'Name of the channel. Default: the only one',
      valueHint: 'NAME',
    },
    client: {
      type: 'string',
      default: 'unknown',
      description: 'The client that sent a payload, if the payload does not show it',
      valueHint: 'NAME',
    },
    html: {
      type: 'string',
      description: 'Write the HTML part of an email to this file',
      valueHint: 'FILE',
    },
    json: { type: 'boolean', description: 'Print JSON' },
  },
  async run({ args: { event = 'permission', channel: named, client, html: file, json } }) {
    const loaded = new CurrentConfig(configDir(), stateDir()).get()
    if (loaded.problem) throw loaded.problem
    const source = await sourceOf(event, client)
    const channel = chooseChannel(named, loaded)
    const { composed, problems } = await previewOf(source, channel, loaded, {
      templates: new Templates(configDir()),
      host: hostname(),
      cwd: process.cwd(),
      now: Date.now(),
    })
    if (!composed) throw usageError(`preview: ${channel} cannot be shown`)
    const { headers = {}, body, html } = hideSecrets(composed, loaded.secrets)
    if (file !== undefined) await writeHtml(file, html, channel)
    if (json) return printJson({ channel, headers, body, ...(html !== undefined && { html }) })
    for (const [name, value] of Object.entries(headers))
      print(`${paint('dim', `${name}:`)} ${value}`)
    if (Object.keys(headers).length > 0) print('')
    const text = typeof body === 'string' ? body : JSON.stringify(body, null, 2)
    write(`${escapeControls(text).trimEnd()}\n`)
    if (source.type === 'recorded') note(RECORDED)
    for (const problem of problems) note(problem)
  },
})

/** Prints to stderr: stdout holds the message alone, for programs that read it. */
function note(text: string) {
  process.stderr.write(`${text}\n`)
}

/** Redacts secrets, as in everything that is printed. A text without secrets keeps the invisible marks of its channel. */
function hideSecrets<Value>(value: Value, secrets: readonly string[]): Value {
  return JSON.parse(JSON.stringify(value), (_, part) => {
    if (typeof part !== 'string') return part
    const redacted = redact(part, secrets)
    return redacted === visible(part) ? part : redacted
  })
}

async function writeHtml(path: string, html: string | undefined, channel: string) {
  if (html === undefined)
    throw usageError(`preview: ${channel} gets no HTML`, 'Only channels of the type email get HTML')
  await writePrivate('preview', path, html)
}

function chooseChannel(named: string | undefined, { config, unset }: LoadedConfig): string {
  const usable = readyChannels(config)
  const names = Object.keys(config.channels)
  const only = [usable, names].find(({ length }) => length === 1)
  const channel = named ?? only?.[0]
  if (channel !== undefined && usable.includes(channel)) return channel
  const reason = channel === undefined ? undefined : channelOf(channel, config)?.why
  if (reason !== undefined) {
    const hint = howToSetIn(reason, unset, configDir(), shellEnvironment(process.env))
    throw new HookbellError('E_UNAVAILABLE', `preview: ${channel}: ${reason}`, { hint })
  }
  if (channel === undefined) {
    throw usageError('preview: which channel? Say --channel NAME', `Channels: ${names.join(', ')}`)
  }
  throw usageError(`preview: no channel "${channel}"`, didYouMean(channel, names, 'Channels'))
}

async function sourceOf(word: string, client: string): Promise<Source> {
  const name = sampleNames.find((one) => one === word)
  if (name) return { type: 'sample', name: name satisfies SampleName }
  if (word === '-' || isFile(word)) {
    return { type: 'payload', body: Buffer.from(await readText('preview', word)), client }
  }
  const entry = await findEntry(word)
  if (entry) return { type: 'recorded', entry }
  const hint = didYouMean(word, sampleNames, 'Samples')
  throw usageError(`preview: "${word}" is not a sample, a file or an event`, hint)
}

function isFile(path: string): boolean {
  return existsSync(path) && statSync(path).isFile()
}

/** The event that `word` means; undefined if there is none. */
async function findEntry(word: string) {
  const folders = stateFolders()
  if (word !== 'last' && findEvents(folders, word).length === 0) return undefined
  const found = findEvent('preview', folders, word)
  for (const folder of folders) {
    for await (const entry of readJournalOf(folder, new Set([found.id]))) {
      if (entry.type === 'accepted') return entry
    }
  }
  return undefined
}
