// A notifier of your own: messages in a Matrix room. To try it, copy it beside your config.json and add a channel:
//
//   "room": { "type": "./matrix-notifier.mjs", "server": "https://matrix.example.org", "room": "!abc:example.org", "token": "${MATRIX_TOKEN}" }
import { DeliveryError, defineNotifier } from 'hookbell'
import * as z from 'zod'

export default defineNotifier({
  name: 'matrix',
  title: 'Matrix',
  options: z.strictObject({ server: z.url(), room: z.string().startsWith('!'), token: z.string() }),
  async send({ id, title, body }, { server, room, token }) {
    // The same id in every repeat: the server drops a second copy.
    const path = `/_matrix/client/v3/rooms/${encodeURIComponent(room)}/send/m.room.message/${id}`
    const response = await fetch(new URL(path, server), {
      method: 'PUT',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ msgtype: 'm.text', body: `${title}\n${body}`.trim() }),
    })
    if (response.status === 401 || response.status === 403)
      throw new DeliveryError(
        'give-up',
        `the server refuses the token or the room (${response.status})`,
      )
    // Anything else that is thrown is tried again.
    if (!response.ok) throw new Error(`the server answered ${response.status}`)
    return 'accepted'
  },
})
