import { INBOX, PREFIX } from './keys.ts'

/** The lines of an ACL file with the least rights. Whoever steals a machine's password can only add to the inbox. */
export const aclLines: readonly string[] = [
  // Nobody can log in as that user. But Redis loads its own append-only file as that user, and without rights it would
  // silently skip whatever scripts and transactions had written.
  'user default off resetpass ~* +@all',
  `user machine on >MACHINE_PASSWORD resetchannels -@all +rpush %W~${INBOX}`,
  `user hub on >HUB_PASSWORD resetchannels ~${PREFIX}:* -@all +@read +@write +@connection +@scripting +@transaction -@dangerous +info`,
]
