import { type AnswerableQuestion, answerableQuestions } from '../../answer/open-questions.ts'
import { offerOf } from '../../answer/remote/offer.ts'
import { keepPairing, openPairing } from '../../answer/remote/pairing.ts'
import { type Person, readPeople } from '../../answer/remote/people.ts'
import { whyOff } from '../../answer/switch.ts'
import { channelOf } from '../../config/channels.ts'
import type { LoadedConfig } from '../../config/load/load.ts'
import type { ProjectRules } from '../../context/project-rules.ts'
import { type Destination, findDestination } from '../../deliver/attempt.ts'
import { changeForm } from '../../deliver/message-life.ts'
import type { Delivery } from '../../delivery.ts'
import type { QuestionEnd } from '../../journal/history.ts'
import type { Form } from '../../notifiers/define.ts'
import { notifierOfType } from '../../notifiers/index.ts'
import type { Memory } from '../../policy/memory.ts'
import type { Shown } from '../../spool/card.ts'
import type { Store } from '../../spool/store.ts'
import { hasQuestion, isStillWaiting, listWaitingHooks } from '../../spool/waiting-hooks.ts'
import { formatTime } from '../../text/local-time.ts'
import type { WorkerMemory } from '../memory.ts'
import { ShownMessages } from '../watch/shown-messages.ts'
import { formOf, type KeptForm, newNonce } from './form.ts'

/** How often it looks whether a question can still be answered, while one can or somebody is being paired. */
const LOOK_MS = 1000

interface FormDeps {
  stateDir: string
  store: Store
  memory: WorkerMemory
  config(): LoadedConfig
  projectRules(cwd: string): Promise<ProjectRules | undefined>
  now(): number
}

/** A message with a form. */
export type ShownForm = Shown & { form: KeptForm }

/** Where a channel shows its messages, and what hears the answers. */
interface Place {
  listener: string
  chat: string
  destination: Destination
}

/** Questions that can be answered on the channels that show them: each message is a form with buttons. */
export class Forms {
  readonly #deps: FormDeps
  readonly #shown: ShownMessages
  /** Forms that are being sent, by their nonces: a press may come before they are kept. */
  readonly #sending = new Map<string, Promise<void>>()

  constructor(deps: FormDeps) {
    this.#deps = deps
    this.#shown = new ShownMessages(deps.store)
  }

  /** The form that the message becomes; undefined if the question cannot be answered there. Never rejects. */
  async begin(delivery: Delivery, destination: Destination) {
    try {
      return await this.#begin(delivery, destination)
    } catch {
      // The message is worth more than its buttons.
      return undefined
    }
  }

  async #begin({ channel, events, questions = [], message }: Delivery, { notifier }: Destination) {
    const { config, stateDir, now } = this.#deps
    const [id = ''] = events
    if (!notifier.answers || events.length !== 1 || questions.length !== 1) return undefined
    if (whyOff(stateDir, now()) || this.peopleOf(channel).length === 0) return undefined
    const question = answerableQuestions(stateDir).find(({ event }) => event.id === id)
    if (!question || (await this.#isRefusedByProject(question))) return undefined
    const offer = this.offerOf(question, channel, message.body)
    if (!offer) return undefined
    const sentAt = now()
    const kept: KeptForm = {
      ...{ nonce: newNonce(), sentAt, title: message.title, text: offer.text },
      until: sentAt + config().config.answers.waitMinutes * 60_000,
      canAllow: offer.whyNot === undefined,
    }
    let end = () => {}
    this.#sending.set(kept.nonce, new Promise<void>((resolve) => (end = resolve)))
    const ended = () => {
      this.#sending.delete(kept.nonce)
      end()
    }
    return { form: formOf(kept, question.ask, offer), kept, end: ended }
  }

  /** The people who may answer on a channel now: none where nothing can be answered. */
  peopleOf(channel: string): Person[] {
    const place = this.placeOf(channel)
    return readPeople(this.#deps.stateDir).filter(
      (one) =>
        one.channel === channel && one.listener === place?.listener && one.chat === place.chat,
    )
  }

  /** Where a channel can be answered; undefined if it cannot be, or the configuration does not want that. */
  placeOf(channel: string): Place | undefined {
    const loaded = this.#deps.config()
    if (!loaded.config.answers.channels.includes(channel)) return undefined
    const destination = findDestination(channel, loaded)
    if ('error' in destination || !destination.notifier.answers) return undefined
    const { name, answers } = destination.notifier
    const chat = answers.chat(destination.options)
    if (chat === undefined) return undefined
    return { listener: `${name} ${answers.listener(destination.options)}`, chat, destination }
  }

  /** What a channel would show of a question now; undefined where it cannot be answered. */
  offerOf(question: AnswerableQuestion, channel: string, shown: string) {
    const { config, secrets } = this.#deps.config()
    const room = this.placeOf(channel)?.destination.notifier.answers?.room
    const clearance = channelOf(channel, { channels: config.channels })?.clearance
    if (room === undefined || clearance === undefined) return undefined
    return offerOf(question, { clearance, room, secrets, shown, never: config.answers.never })
  }

  /** The question of a form, if it can still be answered there; or why not. */
  async questionOf({ event, form }: ShownForm): Promise<AnswerableQuestion | string> {
    const { stateDir, now } = this.#deps
    const off = whyOff(stateDir, now())
    if (off) return off
    // A clock that was set back must not make it last longer.
    const isInTime = now() >= form.sentAt - LOOK_MS && now() < form.until
    if (form.isOver || !isInTime) return 'its time is over'
    const question = answerableQuestions(stateDir).find((one) => one.event.id === event)
    if (!question) return 'it is answered already, or over'
    return (await this.#isRefusedByProject(question)) ? 'the project allows no answers' : question
  }

  /** The forms on these channels. @param nonce of one that may still be on its way there */
  async list(channels: readonly string[], nonce = ''): Promise<ShownForm[]> {
    await this.#sending.get(nonce)
    return this.#all().filter(({ channel }) => channels.includes(channel))
  }

  /** Shows other buttons. */
  async change(shown: ShownForm, form: Form) {
    await changeForm(shown, form, this.#deps.config())
  }

  /** What became of a question, in the place of its buttons; undefined for a message that is no form. */
  ending({ form, event: id, client, sessionId, at }: Shown, memory: Memory): Form | undefined {
    if (!form) return undefined
    const end = memory.endOf({ client, sessionId }, { id, at })
    return closed(form, end ? endInWords(end) : `over, ${clock(this.#deps.now())}`)
  }

  /** Notes what keeps channels from being heard; '' once it is gone. */
  noteProblem(listener: string, problem: string) {
    const { config, memory, now, stateDir } = this.#deps
    const names = config().config.answers.channels.filter(
      (name) => this.placeOf(name)?.listener === listener,
    )
    memory.note('answers', problem && `${names.join(', ')}: ${problem}`, now())
    const pairing = openPairing(stateDir, now())
    if (pairing && names.includes(pairing.channel)) keepPairing(stateDir, { ...pairing, problem })
  }

  /** The destinations that have to be heard now, by what listens. */
  wanted(): Map<string, Destination> {
    const { stateDir, now } = this.#deps
    const pairing = openPairing(stateDir, now())?.channel
    const open = this.#open().map(({ channel }) => channel)
    const wanted = new Map<string, Destination>()
    for (const channel of new Set(pairing === undefined ? open : [pairing, ...open])) {
      const place = this.placeOf(channel)
      if (place) wanted.set(place.listener, place.destination)
    }
    return wanted
  }

  /** Milliseconds until `expire` is to be called; undefined if nothing is open. */
  nextLookInMs(): number | undefined {
    const isPairing = openPairing(this.#deps.stateDir, this.#deps.now()) !== undefined
    return isPairing || this.#open().length > 0 ? LOOK_MS : undefined
  }

  /** Takes the buttons away where nothing can be answered any more, although the question may still be open. */
  async expire(follow: (work: Promise<void>) => void): Promise<void> {
    const open = this.#open()
    if (open.length === 0) return
    const { memory, now, stateDir } = this.#deps
    const off = whyOff(stateDir, now())
    const hooks = listWaitingHooks(stateDir)
    // Looked at first: an answer is in the journal before its question is removed.
    const asked = new Set(open.flatMap(({ event }) => (hasQuestion(stateDir, event) ? event : [])))
    const known = await memory.get()
    for (const shown of open) {
      const { client, sessionId, event: id, at, form } = shown
      const hook = hooks.find((one) => one.id === id)
      const isWaiting = hook !== undefined && isStillWaiting(hook)
      const end = known.endOf({ client, sessionId }, { id, at })
      // An answer that was given is on its way into the journal, and one that is there on its way to the message.
      const isSettling = end !== undefined || (!isWaiting && asked.has(id))
      if (now() < form.until && (isSettling || (isWaiting && !off))) continue
      const words = off ?? 'too late to answer here'
      follow(this.#close(shown, end ? endInWords(end) : `${words}: answer at the machine`))
    }
  }

  async #close(shown: ShownForm, note: string) {
    await this.#shown.change(shown, async () => {
      await this.change(shown, closed(shown.form, note))
      // Whether or not it could be shown: a button of it does nothing any more.
      return { ...shown, form: { ...shown.form, isOver: true } }
    })
  }

  #all(): ShownForm[] {
    return this.#shown.list().filter((one): one is ShownForm => one.form !== undefined)
  }

  #open(): ShownForm[] {
    return this.#all().filter(({ form }) => !form.isOver)
  }

  async #isRefusedByProject({ event }: AnswerableQuestion): Promise<boolean> {
    return (await this.#deps.projectRules(event.cwd))?.hasNoAnswers === true
  }
}

const ends: Readonly<Record<QuestionEnd['how'], string>> = {
  hookbell: 'answered with hookbell answer',
  interrupt: 'you stopped the turn',
  none: 'the session ended',
  prompt: 'answered at the terminal',
  reply: 'answered at the terminal',
  transcript: 'answered at the terminal',
  'went-on': 'answered at the terminal',
}

/** Such as `allowed from Telegram, 09:41`. A reason is not repeated: it may be for the agent alone. */
function endInWords({ how, at, answer, place = '', channel }: QuestionEnd): string {
  const [verb] = answer?.split(':') ?? []
  const where = channel ? `from ${notifierOfType(place)?.title ?? place}` : 'with hookbell answer'
  return `${verb ? `${verb} ${where}` : ends[how]}, ${clock(at)}`
}

function closed({ title, text }: KeptForm, note: string): Form {
  return { title, text, note, buttons: [] }
}

/** The time of the day, such as 09:41. */
export function clock(at: number): string {
  return formatTime(at).slice(-5)
}
