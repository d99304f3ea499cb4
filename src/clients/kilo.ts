import { defineClient } from './define.ts'
import { opencode } from './opencode.ts'

/** A fork of opencode: the same plug-ins and events, in folders of its own. */
export const kilo = defineClient({
  ...opencode,
  name: 'kilo',
  title: 'Kilo Code',
  folder: '.kilo',
  userFolder: '.config/kilo',
  movedBy: { folder: 'KILO_CONFIG_DIR' },
  programs: ['kilo', 'kilocode'],
  hookFiles: [
    { scope: 'user', path: 'plugin/*.js', form: 'plugin' },
    { scope: 'project', path: '.kilo/plugin/*.js', form: 'plugin' },
  ],
  restartNote: 'restart running sessions: Kilo loads plug-ins when it starts',
  // Measured with 7.7.9, which sets OPENCODE too.
  environmentMarks: [{ KILO: true }],
  // Its payloads are those of opencode: only the plug-in, which names the client, tells them apart.
  marks: [],
})
