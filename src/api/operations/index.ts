// Written by `npm run gen` from the table in ../endpoints.
export { serviceAccounts } from './service-accounts.ts'
export { organization } from './organization.ts'
export { sessions } from './sessions.ts'
export { computers } from './computers.ts'
export { automations } from './automations.ts'
export { wiki } from './wiki.ts'
export { analytics } from './analytics.ts'
export { readiness } from './readiness.ts'
