import type { Endpoint } from '../../../api/endpoints/endpoint.ts'
import { type Client, isClientError } from '../../../api/index.ts'

/** What a service answers, not yet judged. */
export interface Answer {
  status: number
  /** Undefined if it is empty or not JSON. */
  body: unknown
  isJson: boolean
}

/** Sends an input to the endpoint as it is, also one that the client would refuse; or with a key that nobody has. */
export type Ask = (input: Input, options?: { isUnknown?: true }) => Promise<Answer>

export type Input = Readonly<Record<string, unknown>>

/** Asks through a client, but with nothing of what the client knows about the endpoint. */
export function makeAsk(client: Client, endpoint: Endpoint): Ask {
  const { method, host } = endpoint
  const stranger = client.withOptions({ apiKey: 'fk-unknown-key-of-hookbell-api-check' })
  return async (input, { isUnknown } = {}) => {
    const request = { method, host, ...encode(endpoint, input) }
    try {
      const { data, status } = await (isUnknown ? stranger : client).request(request).withResponse()
      return { status, body: data, isJson: true }
    } catch (error) {
      if (!isClientError(error) || (error.kind !== 'http' && error.kind !== 'decode')) throw error
      const { status = 0, bodyText = '' } = error
      return { status, ...parse(bodyText) }
    }
  }
}

/** The request for an input, built from the endpoint table alone. */
export function encode(endpoint: Endpoint, input: Input) {
  const { params, query: schema, wire = {}, passthrough } = endpoint
  const inParams = (name: string) => Object.hasOwn(params?.shape ?? {}, name)
  const isQuery = (name: string) =>
    Object.hasOwn(schema?.shape ?? {}, name) || (passthrough && !endpoint.body)
  const rest = Object.entries(input).filter(
    ([name, value]) => !inParams(name) && value !== undefined,
  )
  const named = rest.filter(([name]) => isQuery(name))
  const path = endpoint.path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(String(input[name])),
  )
  return {
    path,
    query: Object.fromEntries(named.map(([name, value]) => [wire[name] ?? name, `${value}`])),
    body: endpoint.body ? Object.fromEntries(rest.filter(([name]) => !isQuery(name))) : undefined,
  }
}

function parse(text: string): Pick<Answer, 'body' | 'isJson'> {
  try {
    return { body: JSON.parse(text), isJson: true }
  } catch {
    return { body: undefined, isJson: false }
  }
}
