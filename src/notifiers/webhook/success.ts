import * as z from 'zod'
import { type HttpAnswer, isSuccess } from '../_http.ts'
import { answerLine } from '../_network.ts'
import { parseAnswer } from '../_request-json.ts'
import { parseRetryAfter } from '../_retry-after.ts'
import { DeliveryError } from '../define.ts'

const scalar = z.union([z.string(), z.number(), z.boolean()])
type Scalar = z.output<typeof scalar>

/** What an answer with a status of success must contain. */
interface Success {
  /** Paths with dots: the first that the answer has counts. */
  fields: readonly string[]
  equals: Scalar
  /** Whether another value of the field is temporary; absent if that is not known. `text` is the answer. */
  isTemporary?: (value: Scalar, text: string) => boolean
  /** Whether an answer without the field is none. */
  isRequired: boolean
}

const among = (codes: readonly number[]) => (value: Scalar) => codes.includes(Number(value))

/** Services that answer with status 200 and a code. What their documents, or answers of theirs, say of temporary codes. */
const services = {
  // https://open.feishu.cn/document/client-docs/bot-v3/add-custom-bot: 11232 is a limit. 9499 is a limit or a bad request.
  feishu: {
    fields: ['code', 'StatusCode'],
    equals: 0,
    isTemporary: (value: Scalar, text: string) =>
      among([11232, 99991400])(value) || (Number(value) === 9499 && /too many|freq/i.test(text)),
    url: /\/open-apis\/bot\/(?:v2\/)?hook\//,
  },
  // 20 messages a minute: 130101, 410100. -1: busy.
  dingtalk: {
    fields: ['errcode'],
    equals: 0,
    isTemporary: among([-1, 130101, 410100]),
    url: /\/robot\/send\?(?:.*&)?access_token=/,
  },
  // https://developer.work.weixin.qq.com/document/path/90313: 45009 and 45033 are limits, -1 is busy.
  wecom: {
    fields: ['errcode'],
    equals: 0,
    isTemporary: among([-1, 45009, 45033]),
    url: /\/cgi-bin\/webhook\/send\?(?:.*&)?key=/,
  },
} as const

type Service = keyof typeof services
const names = Object.keys(services) as [Service, ...Service[]]

export const successOption = z.union(
  [
    z.enum(names),
    z.strictObject({
      field: z.string().regex(/^[^.\s]+(?:\.[^.\s]+)*$/, 'must be a name, or names with dots'),
      equals: scalar,
      retry: z.array(scalar).optional(),
    }),
  ],
  { error: `must be ${names.join(', ')}, or such as { "field": "code", "equals": 0 }` },
)

/** What a channel's receiver says of success; of a service that is known by its URL, only if it says so. */
export function successOf(
  option: z.output<typeof successOption> | undefined,
  url: string,
): Success | undefined {
  if (typeof option === 'string') return { ...services[option], isRequired: true }
  if (option) {
    const { field, equals, retry } = option
    const isTemporary = retry && ((value: Scalar) => retry.some((one) => isSame(one, value)))
    return { fields: [field], equals, isRequired: true, ...(isTemporary && { isTemporary }) }
  }
  const known = Object.values(services).find((service) => service.url.test(url))
  return known && { ...known, isRequired: false }
}

/**
 * Why the body of an answer makes it a failure; undefined if it does not. Another status than 2xx is one already: then the
 * body only says whether it is temporary.
 */
export function refusalIn(
  answer: HttpAnswer,
  { fields, equals, isTemporary, isRequired }: Success,
  secrets: readonly string[],
): DeliveryError | undefined {
  const body = parseAnswer(answer)
  const field = fields.find((one) => valueAt(body, one) !== undefined)
  const value = field === undefined ? undefined : valueAt(body, field)
  const isListed = value !== undefined && isTemporary?.(value, answer.text)
  const isMet = value === undefined ? !isRequired : isSame(value, equals)
  if (isSuccess(answer) ? isMet : !isListed) return undefined
  const seen =
    value === undefined
      ? `the answer has no ${fields.join(' or ')}`
      : `${field} is ${answerLine(String(value), secrets)}`
  const words = answerLine(wordsIn(body) ?? answer.text, secrets)
  const what = [`webhook: ${answer.status}, but ${seen}`, words].filter(Boolean).join(': ')
  if (value !== undefined && isTemporary && !isListed) return new DeliveryError('give-up', what)
  return new DeliveryError('retry', what, {
    retryAfterMs: parseRetryAfter(answer.headers['retry-after']),
  })
}

/** Services write a code as a number or as a text. */
function isSame(one: Scalar, other: Scalar): boolean {
  return String(one) === String(other)
}

function valueAt(body: unknown, path: string): Scalar | undefined {
  const value = path
    .split('.')
    .reduce<unknown>(
      (inner, name) =>
        typeof inner === 'object' && inner !== null && Object.hasOwn(inner, name)
          ? (inner as Record<string, unknown>)[name]
          : undefined,
      body,
    )
  return ['string', 'number', 'boolean'].includes(typeof value) ? (value as Scalar) : undefined
}

/** What the service says, by the usual names. */
function wordsIn(body: unknown): string | undefined {
  const names = ['msg', 'errmsg', 'StatusMessage', 'message', 'error', 'description']
  return names
    .map((name) => valueAt(body, name))
    .find((word) => typeof word === 'string' && word) as string | undefined
}
