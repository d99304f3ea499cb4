import { expect, it } from 'vitest'
import { explain } from '../../src/event/explain-failure.ts'
import { makeAgentEvent } from '../support/payload.ts'

const failedBy = (reason: string, isLimit = false) =>
  explain({
    ...makeAgentEvent(),
    client: 'claude',
    ...{ kind: 'failed', message: reason },
    failure: { reason, cause: '', isLimit, resetsAt: undefined },
  })

it.each([
  ['max_output_tokens', /cut off/],
  ["API Error: Claude's response exceeded the 32000 output token maximum", /cut off/],
  ['prompt is too long: 210000 tokens > 200000 maximum', /too long for the model/],
  ['billing_error', /no credit/],
  ['Your credit balance is too low', /no credit/],
  ['authentication_failed', /not logged in/],
  ['401 Invalid API key · Please run /login', /not logged in/],
  ['model_not_found', /cannot use this model/],
  ['529 Overloaded', /busy/],
  ['server_error', /busy/],
  ['500 Internal server error', /busy/],
  ['connect ECONNREFUSED 127.0.0.1:1', /could not reach/],
  ['TypeError: fetch failed', /could not reach/],
  ['invalid_request', /did not accept/],
  ['unknown', /does not say which/],
  ['', /does not say which/],
  // The words of the client say it.
  ['Something broke', /^$/],
  ['Retried after 500 ms', /^$/],
])('the failure %j has a meaning, and what to do', (reason, means) => {
  const explained = failedBy(reason)
  expect(explained.means).toMatch(means)
  expect(explained.advice).toMatch(/^[A-Z].*\.$/)
})

it('a limit has advice; what did not fail, or no agent reports, has none', () => {
  expect(failedBy('rate_limit', true).advice).toMatch(/another model/)
  const event = { ...makeAgentEvent(), failure: undefined, message: 'overloaded' }
  for (const kind of ['done', 'failed', 'permission'] as const)
    expect(explain({ ...event, kind })).toEqual({ means: '', advice: '' })
  const failure = { reason: 'x', cause: '', isLimit: false, resetsAt: undefined }
  for (const client of ['script', 'hookbell'])
    expect(explain({ ...event, client, kind: 'failed', failure })).toEqual({
      means: '',
      advice: '',
    })
})
