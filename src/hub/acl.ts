import { INBOX, PREFIX } from './keys.ts'

/** The least rights, as lines of an ACL file. A stolen password of a machine can add to the list, and nothing else. */
export const aclLines: readonly string[] = [
  'user default off',
  `user machine on >MACHINE_PASSWORD resetchannels -@all +rpush %W~${INBOX}`,
  `user hub on >HUB_PASSWORD resetchannels ~${PREFIX}:* -@all +@read +@write +@connection +@scripting +@transaction -@dangerous +info`,
]
