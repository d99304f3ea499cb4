import { defineCommand } from 'citty'
import { interrupted } from '../cli/ask.ts'
import { howToCall } from '../cli/how-to-call.ts'
import { paint, print, printJson } from '../cli/output.ts'
import type { Act, Play } from '../demo/play.ts'
import { HookbellError } from '../errors.ts'
import { cleanText, cutText } from '../text/clean.ts'
import { paintOutcome } from './log/rows.ts'

export const demoCommand = defineCommand({
  args: { json: { type: 'boolean', description: 'Print JSON' } },
  async run({ args }) {
    if (process.platform === 'win32') {
      throw new HookbellError(
        'E_UNAVAILABLE',
        'demo: it simulates an agent on Linux and macOS only',
        {
          hint: `Next: ${howToCall()} init`,
        },
      )
    }
    const { play } = await import('../demo/play.ts')
    const stop = new AbortController()
    for (const signal of ['SIGINT', 'SIGTERM'] as const)
      process.once(signal, () => stop.abort(interrupted()))
    const result = await play(stop.signal)
    if (args.json) printJson(result)
    else print(describePlay(result))
    return isSilent(result) ? 0 : 1
  },
})

/** How much is shown of a line of JSON, which is for programs. */
const LINE_LENGTH = 100

function isSilent({ acts }: Play): boolean {
  return acts.every(({ exitCode, output }) => exitCode === 0 && output === '')
}

export function describePlay(play: Play): string {
  const { command, acts } = play
  const waits = acts.map(({ waitedMs }) => waitedMs).sort((a, b) => a - b)
  const median = waits[waits.length >> 1] ?? 0
  return [
    `In a temporary home, ${paint('bold', 'hookbell init --client droid')} registered this command:`,
    `  ${command}`,
    ...acts.flatMap((act, at) => ['', ...describeAct(act, at + 1)]),
    '',
    ...(play.noDesktop === '' ? [] : ['There is no desktop here; the phone shows the same.', '']),
    `The agent waited ${median.toFixed(0)} ms per event (median; longest ${waits.at(-1)?.toFixed(0)} ms).`,
    isSilent(play)
      ? 'Every hook exited 0 and printed nothing. The temporary home is gone again.'
      : 'A hook failed or printed something, which is a fault in hookbell: please report it.',
    '',
    'Next, to have it for yourself:',
    `  ${paint('bold', `${howToCall()} init`)}`,
  ].join('\n')
}

function describeAct(act: Act, number: number): string[] {
  const { says, event, kind, waitedMs, outcome, reason, received, attempts } = act
  const head = `${number}. ${says}: ${event}, ${kind}`
  const facts = `${paintOutcome(outcome)}${reason ? `: ${reason}` : ''}, agent waited ${waitedMs.toFixed(0)} ms`
  return [
    paint('bold', head),
    `   ${facts}`,
    ...Object.entries(received).flatMap(([channel, text]) => {
      const count = attempts[channel]
      const late = count ? `(down at first: delivered by attempt ${count})\n` : ''
      return indent(channel, late + text)
    }),
  ]
}

/** The name of the channel before the first line, and all lines of what it received aligned behind it. */
function indent(channel: string, text: string): string[] {
  const lines = cleanText(text)
    .split('\n')
    .map((line) => (channel === 'audit' ? cutText(line, LINE_LENGTH) : line))
  return lines.map((line, at) =>
    `   ${paint('cyan', (at === 0 ? channel : '').padEnd(6))} ${line}`.trimEnd(),
  )
}
