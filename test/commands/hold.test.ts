import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { makeHome } from '../support/home.ts'
import { startReceiver } from '../support/receiver.ts'

async function makeFileHome() {
  const home = await makeHome()
  const path = join(home.home, 'out.jsonl')
  const channels = { file: { type: 'file', path } }
  const config = { channels, routes: [{ on: ['*'], to: ['file'] }], lingerSeconds: 0 }
  await home.writeConfig(JSON.stringify(config))
  return home
}

describe('cli: hold and resume', () => {
  it('hold keeps events in the spool until resume sends them', async () => {
    const home = await makeFileHome()
    expect((await home.run('hold')).stdout).toContain('hookbell resume')
    home.accept({ hook_event_name: 'Stop' })
    await home.run('worker', '--once')
    await home.run('worker')
    expect(readdirSync(join(home.state, 'spool/new'))).toHaveLength(1)
    const { stdout: status } = await home.run('status')
    expect(status).toMatch(/^on hold +nothing is sent until: hookbell resume$/m)
    expect(status).toMatch(/^oldest +accepted just now$/m)
    expect((await home.run('resume')).stdout).toBe('No longer on hold; 1 handled')
    expect(home.read('out.jsonl')).toContain('"event":"Stop"')
    expect((await home.run('resume')).stdout).toBe('Nothing was on hold')
  })
})

describe('cli: flush', () => {
  it('retries failed deliveries at once', async () => {
    const { url, received } = await startReceiver({ script: [500, 200] })
    const home = await makeHome()
    const channels = { team: { type: 'slack', url: `${url}/services/x` } }
    const retry = { firstDelaySeconds: 3600, maxDelaySeconds: 3600 }
    const routes = [{ on: ['*'], to: ['team'] }]
    await home.writeConfig(JSON.stringify({ channels, routes, retry, lingerSeconds: 0 }))
    home.accept({ hook_event_name: 'Stop' })
    await home.run('worker', '--once')
    expect(received).toHaveLength(1)
    const { stdout } = await home.run('status')
    expect(stdout).toMatch(/^parked +1 delivery failed and tried again; next in \d+ (?:s|min)$/m)
    expect((await home.run('flush')).stdout).toBe('1 tried; see: hookbell log')
    expect(received).toHaveLength(2)
    expect((await home.run('flush')).stdout).toBe('Nothing waits for another attempt')
  })
})

describe('cli: purge', () => {
  it('requires --yes, removes the waiting events and records the removal in the log', async () => {
    const home = await makeFileHome()
    const id = home.accept({ hook_event_name: 'Stop' })
    expect(await home.run('purge')).toMatchObject({ exitCode: 64 })
    expect(readdirSync(join(home.state, 'spool/new'))).toHaveLength(1)
    expect((await home.run('purge', '--yes')).stdout).toContain('1 removed')
    expect(readdirSync(join(home.state, 'spool/new'))).toEqual([])
    expect((await home.run('log', id)).stdout).toContain('purged by hand')
  })
})
