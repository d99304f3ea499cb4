import { styleText } from 'node:util'
import { asTyped, pathSteps } from '../../cli/how-to-call.ts'
import { fit } from '../../cli/output.ts'
import type { ClientName } from '../../clients/index.ts'
import { stateDir } from '../../config/paths.ts'
import { readAll } from '../../doctor/clients.ts'
import { checkCommands } from '../../doctor/door.ts'
import { describeError, HookbellError } from '../../errors.ts'
import { findTargets } from '../../install/target.ts'
import { cleanText } from '../../text/clean.ts'
import { sendTestMessage } from '../_test-message.ts'
import { gatherFacts } from '../doctor/facts.ts'
import { askWhetherSeen, type Chosen, converse } from './conversation.ts'
import { planChanges } from './plan.ts'
import { type InitWorld, runInit } from './run.ts'
import { existingChannels, type Setup } from './setup.ts'

/** `init` as a conversation: asks, writes, and tries what it wrote. @returns the exit code */
export async function runGuided(events: string | undefined, world: InitWorld): Promise<number> {
  const refusalOf = await refusals(world)
  const place = { env: world.env, channels: existingChannels(), refusalOf }
  const { client, scope, channels, secrets } = await converse(place)
  const setup: Setup | undefined =
    Object.keys(channels).length > 0 ? { channels, secrets } : undefined
  const options = { client, [scope]: true, events, setup, isTried: true }
  const written = await runInit(options, world)
  if (!written) return 0
  const worksHere = await tryCommands(world)
  const unseen = await tryChannels(Object.keys(channels), world)
  const steps = [
    ...written.restart,
    ...pathSteps(),
    ...(worksHere ? [] : ['hookbell doctor says why a command fails']),
    ...(unseen.length > 0 ? [`hookbell doctor says why nothing came by ${unseen.join(', ')}`] : []),
    ...unseen.map((name) => `hookbell test ${name} tries it again`),
  ]
  world.print(whatNow(steps))
  return worksHere && unseen.length === 0 ? 0 : 1
}

/** All that is left to do, in one place. */
function whatNow(steps: readonly string[]): string {
  const lines = steps.length > 0 ? steps : ['nothing: the next event is told']
  return lines
    .map((step) => fit(`${step === lines[0] ? 'What now:\n' : ''}- ${asTyped(step)}\n`))
    .join('')
}

/** Finds out, without writing anything, whether the settings of a client can be changed. */
async function refusals({ env, cwd, installFrontDoor }: InitWorld) {
  const state = stateDir(env)
  const { path: door } = await installFrontDoor({ stateDir: state, dryRun: true })
  return (client: ClientName, scope: Chosen): HookbellError | undefined => {
    try {
      const targets = findTargets({ client, [scope]: true }, { env, cwd })
      planChanges(targets, { door, state, env })
      return undefined
    } catch (error) {
      if (error instanceof HookbellError) return error
      throw error
    }
  }
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

/** @returns the channels whose test message nobody saw */
async function tryChannels(names: readonly string[], { print }: InitWorld): Promise<string[]> {
  const unseen: string[] = []
  for (const name of names) {
    const fault = await sendTo(name)
    if (fault !== undefined) print(fit(`${mark(false)} ${name}: ${cleanText(fault)}\n`))
    else if (await askWhetherSeen(name)) continue
    unseen.push(name)
  }
  return unseen
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
  return isGood ? styleText('green', 'ok') : styleText('red', 'x ')
}
