// Written by `npm run gen` from the table in src/api/endpoints/.
import { analytics } from './analytics.ts'
import { automations } from './automations.ts'
import { computers } from './computers.ts'
import { organization } from './organization.ts'
import { readiness } from './readiness.ts'
import { serviceAccounts } from './service-accounts.ts'
import { sessions } from './sessions.ts'
import { wiki } from './wiki.ts'

export const operations = { serviceAccounts, organization, sessions, computers, automations, wiki, analytics, readiness }
