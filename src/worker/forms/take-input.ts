import { type Decision, readDecision } from '../../answer/decision.ts'
import { decisionInWords, giveAnswer } from '../../answer/give-answer.ts'
import type { AnswerableQuestion } from '../../answer/open-questions.ts'
import { codeIn, isCodeOf, keepPairing, openPairing } from '../../answer/remote/pairing.ts'
import { addPerson, type Person } from '../../answer/remote/people.ts'
import { switchOff } from '../../answer/switch.ts'
import { dropOldest } from '../../drop-oldest.ts'
import type { Journal } from '../../journal/journal.ts'
import type { Input } from '../../notifiers/define.ts'
import type { WorkerMemory } from '../memory.ts'
import { formOf, isOneChoice, labelsOf, type Picks, readButton, withPick } from './form.ts'
import { clock, type Forms, type ShownForm } from './forms.ts'

interface TakeDeps {
  stateDir: string
  forms: Forms
  journal: Journal
  memory: WorkerMemory
  /** The channels of the configuration on which questions can be answered. */
  channels(): readonly string[]
  /** Called when a question was answered, or all of them were ended. */
  onAnswer(): void
  now(): number
}

/** Where an input comes from: what listens, its service, and the channels that it hears. */
interface Source {
  listener: string
  place: string
  channels: readonly string[]
}

const MINUTE_MS = 60_000
/** More than a person decides with care. */
const MAX_ANSWERS_PER_MINUTE = 12
/** So that nobody fills the journal. */
const MAX_RECORDS_PER_MINUTE = 60
const MAX_PICKS = 200
/** What somebody writes who means to allow: a reply denies, so it must not be taken as a reason. */
const YES =
  /^\W*(?:y|yes|yep|ok|okay|sure|go|do it|allow(?:ed)?|approved?|accept|ja|si|oui|da|👍|✅)\W*$/iu

/** Judges what people do on channels. What does not fit in every respect changes nothing, and is recorded. */
export class TakeInput {
  readonly #deps: TakeDeps
  /** Options that were chosen and not sent yet, by the nonce of their form. */
  readonly #picks = new Map<string, Picks>()
  #answered: { at: number; person: string }[] = []
  #recorded: number[] = []

  constructor(deps: TakeDeps) {
    this.#deps = deps
  }

  /** @returns what the person is told; '' for nothing. Never rejects */
  async take(listener: string, input: Input): Promise<string> {
    const { forms, channels } = this.#deps
    const [place = ''] = listener.split(' ')
    const own = channels().filter((name) => forms.placeOf(name)?.listener === listener)
    const source = { listener, place, channels: own }
    try {
      return await this.#judge(input, source)
    } catch {
      // Every failure is no decision.
      this.#refuse('it failed', input, source)
      return 'Not taken: answer at the machine'
    }
  }

  async #judge(input: Input, source: Source): Promise<string> {
    const { text, data } = input
    if (data !== undefined) return await this.#press(data, input, source)
    if (text === undefined) return ''
    if (/^\s*\/off(?:@\w+)?\s*$/i.test(text)) return await this.#switchOff(input, source)
    const code = codeIn(text)
    const told = code !== undefined && !input.handle ? this.#pair(code, input, source) : undefined
    return told ?? (await this.#reply(text, input, source))
  }

  async #press(data: string, input: Input, source: Source): Promise<string> {
    const read = readButton(data)
    const all = read ? await this.#deps.forms.list(source.channels, read.nonce) : []
    const shown = all.find(({ form }) => form.nonce === read?.nonce)
    const whyNot = this.#whyNotThisPerson(input, source, shown)
    if (whyNot) return this.#refuse(whyNot, input, source, shown)
    if (!read || !shown) {
      const told = 'Too late: this button does nothing any more'
      return this.#refuse('an old button, or one that is not known', input, source, shown, told)
    }
    if (shown.handle !== input.handle)
      return this.#refuse('a button at another message', input, source, shown)
    const question = await this.#open(shown, input, source)
    if (typeof question === 'string') return question
    const { action, nonce } = read
    if (action.type === 'deny') return await this.#give(question, DENY, shown, input, source)
    const whyNotWhole = this.#whyNotWhole(question, shown)
    if (whyNotWhole)
      return this.#refuse(whyNotWhole, input, source, shown, `Not taken: ${whyNotWhole}`)
    // A question with choices, or a plan, has no such button.
    const isMeant = (action.type === 'allow') === (question.ask.about === 'permission')
    const before = this.#picks.get(nonce) ?? []
    const picks = action.type === 'pick' ? withPick(question.ask, before, action) : before
    if (!isMeant || !picks)
      return this.#refuse('a button that the message does not have', input, source, shown)
    if (action.type === 'allow')
      return await this.#give(question, { type: 'allow' }, shown, input, source)
    return await this.#choose(question, picks, action.type === 'send', shown, input, source)
  }

  /** Takes the choice if it is complete, or shows what is chosen so far. */
  async #choose(
    question: AnswerableQuestion,
    picks: Picks,
    isSent: boolean,
    shown: ShownForm,
    input: Input,
    source: Source,
  ): Promise<string> {
    const { ask } = question
    const labels = labelsOf(ask, picks)
    if (labels && (isSent || isOneChoice(ask)))
      return await this.#give(question, { type: 'choose', labels }, shown, input, source)
    if (isSent) return 'Choose first: every question needs an answer'
    this.#picks.set(shown.form.nonce, picks)
    dropOldest(this.#picks, MAX_PICKS)
    await this.#deps.forms.change(shown, formOf(shown.form, ask, {}, picks))
    return ''
  }

  /** A reply is the reason of a denial, or the answer to a question with choices. */
  async #reply(text: string, input: Input, source: Source): Promise<string> {
    if (input.handle === undefined) return ''
    const all = await this.#deps.forms.list(source.channels)
    const shown = all.find(({ handle }) => handle === input.handle)
    // People talk in groups, also about what is over.
    if (!shown) return ''
    const whyNot = this.#whyNotThisPerson(input, source, shown)
    if (whyNot) return this.#refuse(whyNot, input, source, shown)
    const question = await this.#open(shown, input, source)
    if (typeof question === 'string') return question
    const isFree = question.ask.about === 'choices'
    const chosen = isFree ? choiceIn(text, question) : undefined
    const whyNotWhole = chosen && this.#whyNotWhole(question, shown)
    if (whyNotWhole)
      return this.#refuse(whyNotWhole, input, source, shown, `Not taken: ${whyNotWhole}`)
    if (chosen) return await this.#give(question, chosen, shown, input, source)
    if (!isFree && YES.test(text)) return 'Not taken: a reply denies. To allow, press the button'
    const reason = (isFree ? `The person answers in other words: ${text}` : text).trim()
    return await this.#give(question, { type: 'deny', reason }, shown, input, source)
  }

  /** The question if it is open, or what the person is told. */
  async #open(
    shown: ShownForm,
    input: Input,
    source: Source,
  ): Promise<AnswerableQuestion | string> {
    const question = await this.#deps.forms.questionOf(shown)
    if (typeof question !== 'string') return question
    return this.#refuse(question, input, source, shown, `Too late: ${question}`)
  }

  /** Why it may not be allowed, although there was a button: what is asked, or the rules, may not be what they were. */
  #whyNotWhole(question: AnswerableQuestion, { channel, form }: ShownForm): string | undefined {
    if (!form.canAllow) return 'it can only be denied here'
    const offer = this.#deps.forms.offerOf(question, channel, '')
    if (!offer) return 'it cannot be allowed here any more'
    return offer.whyNot ?? (offer.text === form.text ? undefined : 'it is not what was shown')
  }

  #whyNotThisPerson(input: Input, { channels }: Source, shown?: ShownForm): string | undefined {
    if (input.doubt !== undefined) return input.doubt
    const people = this.#paired(input, shown ? [shown.channel] : channels)
    if (people.length === 0) return 'a person who is not paired, or in another chat'
    // Nobody who came later decides what was asked before.
    const isEarly = people.some(({ at }) => !shown || at <= shown.form.sentAt)
    return isEarly ? undefined : 'a person who was paired later'
  }

  #paired({ person, chat }: Input, channels: readonly string[]): Person[] {
    const people = channels.flatMap((channel) => this.#deps.forms.peopleOf(channel))
    return people.filter((one) => one.person === person && one.chat === chat)
  }

  async #give(
    question: AnswerableQuestion,
    decision: Decision,
    shown: ShownForm,
    input: Input,
    source: Source,
  ): Promise<string> {
    const { now, onAnswer, stateDir } = this.#deps
    const { person } = input
    this.#answered = this.#answered.filter(({ at }) => Math.abs(now() - at) < MINUTE_MS)
    const count = this.#answered.filter((one) => one.person === person).length
    if (decision.type !== 'deny' && count >= MAX_ANSWERS_PER_MINUTE) {
      const told = 'Too fast: wait a minute'
      return this.#refuse('too many answers in a minute', input, source, shown, told)
    }
    const from = { place: source.place, channel: shown.channel, person }
    const given = await giveAnswer(stateDir, question, decision, from)
    if (!given) {
      const reason = 'it is answered already, or over'
      return this.#refuse(reason, input, source, shown, `Too late: ${reason}`)
    }
    this.#answered.push({ at: now(), person })
    this.#picks.delete(shown.form.nonce)
    onAnswer()
    const words = `${decisionInWords(decision, question.ask)}, ${clock(now())}`
    return given.problem ? `${words}. It could not be recorded: ${given.problem}` : words
  }

  async #switchOff(input: Input, source: Source): Promise<string> {
    const { memory, now, onAnswer, stateDir } = this.#deps
    const whyNot = this.#whyNotThisPerson(input, source)
    if (whyNot) return this.#refuse(whyNot, input, source)
    const waited = await switchOff(stateDir)
    memory.note('answers off', `from ${source.place} by ${input.person}`, now())
    onAnswer()
    const ended = waited > 0 ? `, and ${waited} that waited can only be answered there` : ''
    return `Off: nothing is answered from elsewhere${ended}. On again at the machine: hookbell answer on`
  }

  /** @returns undefined if nobody is being paired */
  #pair(code: string, input: Input, source: Source): string | undefined {
    const { forms, stateDir, now } = this.#deps
    const pairing = openPairing(stateDir, now())
    if (!pairing || !source.channels.includes(pairing.channel)) return undefined
    const { channel } = pairing
    // The service counts seconds, and by its own clock.
    const isOld = input.at !== undefined && input.at < pairing.at - MINUTE_MS
    const doubt = input.doubt ?? (isOld ? 'a message from before' : undefined)
    if (doubt !== undefined || !isCodeOf(pairing, code)) {
      keepPairing(stateDir, { ...pairing, wrong: pairing.wrong + 1 })
      return this.#refuse(doubt ?? 'a wrong code', input, source)
    }
    const { person, chat } = input
    if (chat !== forms.placeOf(channel)?.chat) {
      const problem = `the code came in another chat than that of ${channel}`
      keepPairing(stateDir, { ...pairing, problem })
      return `Not paired: write it in the chat in which the messages of ${channel} come`
    }
    const { listener } = source
    addPerson(stateDir, { channel, listener, person, chat, at: now() })
    keepPairing(stateDir, { ...pairing, paired: person })
    return `Paired: you (${person}) can answer the questions of ${channel} here. To end that at once, write /off`
  }

  /** @param told what the person hears; a stranger hears nothing */
  #refuse(reason: string, input: Input, { place }: Source, shown?: ShownForm, told = ''): string {
    const { journal, memory, now } = this.#deps
    const at = now()
    this.#recorded = this.#recorded.filter((one) => Math.abs(at - one) < MINUTE_MS)
    if (this.#recorded.push(at) > MAX_RECORDS_PER_MINUTE) return told
    const { person } = input
    if (!shown) {
      memory.note('answer not taken', `${place} ${person}: ${reason}`, at)
      return told
    }
    const { event: id, channel } = shown
    // Not awaited: a full disk must not keep the next input from being judged.
    void journal.append({ at, id, type: 'not-taken', channel, place, person, reason })
    return told
  }
}

const DENY: Decision = { type: 'deny', reason: '' }

/** What a reply chooses, by numbers or labels; undefined for other words. */
function choiceIn(text: string, { ask }: AnswerableQuestion): Decision | undefined {
  try {
    const decision = readDecision([text.trim()], ask)
    return decision.type === 'choose' ? decision : undefined
  } catch {
    return undefined
  }
}
