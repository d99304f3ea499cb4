import { INBOX, PREFIX } from './keys.ts'

/** The least rights, as lines of an ACL file. A stolen password of a machine can add to the list, and nothing else. */
export const aclLines: readonly string[] = [
  // Nobody can log in as that user. But Redis reads its own append-only file as that user, and without rights it would leave
  // out, without a word, whatever scripts and transactions had written.
  'user default off resetpass ~* +@all',
  `user machine on >MACHINE_PASSWORD resetchannels -@all +rpush %W~${INBOX}`,
  `user hub on >HUB_PASSWORD resetchannels ~${PREFIX}:* -@all +@read +@write +@connection +@scripting +@transaction -@dangerous +info`,
]
