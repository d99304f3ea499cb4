/** All keys of a hub begin so; Cluster would need one hash tag for all of them, so it is not supported. */
export const PREFIX = 'hb'

/** The list that machines add to. */
export const INBOX = `${PREFIX}:in`
