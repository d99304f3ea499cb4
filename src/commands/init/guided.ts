import { styleText } from 'node:util'
import { asTyped } from '../../cli/how-to-call.ts'
import { fit } from '../../cli/output.ts'
import { readAll } from '../../doctor/clients.ts'
import { checkCommands } from '../../doctor/door.ts'
import { describeError } from '../../errors.ts'
import { cleanText } from '../../text/clean.ts'
import { sendTestMessage } from '../_test-message.ts'
import { gatherFacts } from '../doctor/facts.ts'
import { askWhetherSeen, converse } from './conversation.ts'
import { type InitWorld, runInit } from './run.ts'
import { existingChannels, type Setup } from './setup.ts'

/** `init` as a conversation: asks, writes, and tries what it wrote. @returns the exit code */
export async function runGuided(events: string | undefined, world: InitWorld): Promise<number> {
  const place = { env: world.env, channels: existingChannels() }
  const { client, project, channels, secrets } = await converse(place)
  const setup: Setup | undefined =
    Object.keys(channels).length > 0 ? { channels, secrets } : undefined
  const options = { client, project, user: !project, events, setup, isTried: true }
  const isWritten = await runInit(options, world)
  if (!isWritten) return 0
  const worksHere = await tryCommands(world)
  const isSeen = await tryChannels(Object.keys(channels), world)
  if (worksHere && isSeen) return 0
  world.print(asTyped('To see why: hookbell doctor\n'))
  return 1
}

/** Runs each registered command as the client would. Must precede the test messages, which clear the environment. */
async function tryCommands({ print }: InitWorld): Promise<boolean> {
  const facts = await gatherFacts()
  const checks = await checkCommands(readAll(facts), facts)
  for (const { id, status, seen } of checks) {
    const name = id.replace(/^client\.(.*)\.canary$/, '$1')
    print(fit(`${mark(status !== 'broken')} ${name}: the registered command: ${cleanText(seen)}\n`))
  }
  return checks.every(({ status }) => status !== 'broken')
}

async function tryChannels(names: readonly string[], { print }: InitWorld): Promise<boolean> {
  let isSeen = true
  for (const name of names) {
    const fault = await sendTo(name)
    if (fault !== undefined) print(fit(`${mark(false)} ${name}: ${cleanText(fault)}\n`))
    else if (await askWhetherSeen(name)) continue
    else print(fit(asTyped(`  Sent to ${name}, and taken. Try again: hookbell test ${name}\n`)))
    isSeen = false
  }
  return isSeen
}

/** Sends a test message. @returns why it was not delivered; undefined if it was */
async function sendTo(channel: string): Promise<string | undefined> {
  try {
    const { status } = await sendTestMessage(channel)
    return status.state === 'delivered' ? undefined : `${status.state}: ${status.detail}`
  } catch (error) {
    return describeError(error)
  }
}

function mark(isGood: boolean): string {
  return isGood ? styleText('green', 'ok') : styleText('red', 'no')
}
