import * as z from 'zod'

export const channelName = z
  .string()
  .regex(/^[A-Za-z0-9][\w.-]{0,63}$/, 'a name of letters, digits, ".", "_", "-"')
