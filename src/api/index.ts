export { type Client, createClient } from './client.ts'
export * from './common.ts'
