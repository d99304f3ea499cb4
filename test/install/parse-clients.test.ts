import { describe, expect, it } from 'vitest'
import { clientNames } from '../../src/clients/index.ts'
import { parseClients } from '../../src/install/parse-clients.ts'

describe('names of clients', () => {
  it.each([
    ['claude', ['claude']],
    ['claude,codex', ['claude', 'codex']],
    [' claude , codex, ', ['claude', 'codex']],
    ['codex,codex', ['codex']],
  ])('are read from %j', (text, names) => {
    expect(parseClients(text)).toEqual(names)
  })

  it.each([
    ['Claude', 'Did you mean "claude"?'],
    ['claude-code', 'Did you mean "claude"?'],
    ['codex,gemini_cli', 'Did you mean "gemini"?'],
    ['cluade', 'Did you mean "claude"?'],
    ['vim', `Known: ${clientNames.join(', ')}`],
    [' ,', `Known: ${clientNames.join(', ')}`],
  ])('are refused with a hint: %j', (text, hint) => {
    expect(() => parseClients(text)).toThrow(expect.objectContaining({ code: 'E_USAGE', hint }))
  })
})
