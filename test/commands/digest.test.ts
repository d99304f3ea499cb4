import { describe, expect, it } from 'vitest'
import { makeHome } from '../support/home.ts'

describe('hookbell digest', () => {
  it('prints what happened in each project and the open questions', async () => {
    const home = await makeHome({ routes: [{ on: ['failed'], to: ['desktop'] }] })
    const event = { session_id: 's1', cwd: home.project }
    home.accept({ ...event, hook_event_name: 'Stop' })
    await home.run('worker', '--once')
    home.accept({
      ...{ ...event, session_id: 's2', hook_event_name: 'Notification' },
      ...{ notification_type: 'permission_prompt', message: 'May I?' },
    })
    await home.run('worker', '--once')
    const { stdout } = await home.run('digest')
    const [title, , project, waiting] = stdout.split('\n')
    expect(title).toBe('Digest: 1 done, 1 asked, 1 still waiting')
    expect(project).toBe('api-server: 1 done, 1 asked')
    expect(waiting).toMatch(
      /^waiting since \d{4}-\d\d-\d\d \d\d:\d\d: Droid · api-server: permission needed · May I\?$/,
    )
    const { stdout: json } = await home.run('digest', '--json', '--since', '1h')
    expect(JSON.parse(json)).toMatchObject({ events: 2, done: 1, waiting: [{}] })
  })

  it('prints an empty digest, and rejects an invalid period', async () => {
    const home = await makeHome()
    expect((await home.run('digest')).stdout).toContain('Digest: nothing happened')
    expect(await home.run('digest', '--since', 'soon')).toMatchObject({ exitCode: 64 })
  })
})
