import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { applyPlan } from '../../src/install/apply.ts'
import { attributes, hasAttributes } from '../support/attributes.ts'
import { makeHome, makePlan } from './make-home.ts'

describe.skipIf(!hasAttributes)('the extended attributes of a settings file', () => {
  it('stay when the file is replaced', () => {
    const path = join(makeHome({ 'settings.json': '{"model": "x"}' }), 'settings.json')
    const given = { 'user.note': 'mine', 'user.xdg.tags': 'work,äöü' }
    attributes(path, given)
    applyPlan({ path, isShared: false, stateDir: join(path, '../state'), plan: makePlan(path) })
    expect(readFileSync(path, 'utf8')).toBe(makePlan(path)('{"model": "x"}').text)
    expect(attributes(path)).toEqual(given)
  })
})
