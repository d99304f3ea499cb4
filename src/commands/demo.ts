import { defineCommand } from 'citty'

export const demoCommand = defineCommand({ meta: { name: 'demo' }, run() {} })
