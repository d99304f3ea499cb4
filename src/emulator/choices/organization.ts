import { choose } from './choose.ts'

/** Decisions about keys, limits and users. */
export const organization = {
  // Keys of service accounts
  rotateRole: choose(
    '403 of key rotation',
    'for callers that are neither Manager, nor Owner, nor the service account itself',
    403,
  ),
  rotateConflict: choose(
    '409 of key rotation',
    'the key has been rotated or revoked before, or is expired',
    409,
  ),
  expiryUnit: choose('unit of `expiresAt` in the request', 'Unix milliseconds'),
  pastExpiry: choose('`expiresAt` in the past', 'accepted; the new key is expired from the start'),
  inheritedExpiry: choose(
    'expiry of the new key without `expiresAt`',
    'none; only the name is inherited',
  ),
  graceAtExpiry: choose(
    'a grace period that ends exactly at the expiry',
    'accepted: it does not outlast the key',
  ),
  // Limits and users
  userLimitMinimum: choose('minimum of a user limit', '0'),
  failedUserLimit: choose(
    'which entries of a user limit request fail',
    'those whose address is not of an active member; invited people fail too',
    'not an active member of the organization',
  ),
  repeatedUserLimit: choose(
    'the same address twice in a user limit request',
    'both entries are applied in order, so the last one wins',
  ),
  emailCase: choose('letter case of e-mail addresses', 'does not matter'),
  emailPlace: choose(
    'where a removal has the e-mail address',
    'in the query; taken from a JSON body if the query has none',
  ),
  unknownUser: choose('removal of an unknown address', '404', 404),
  lastOwner: choose('removal of the last owner', '409', 409),
  keysOfRemovedUser: choose('keys of a removed member', 'stop working at once'),
  deletionStatus: choose(
    'success status of deletions (200 here, 204 in public documents)',
    '200 with `{}`; 204 if `behavior.deletionStatus` of the seed says so',
    200,
  ),
}
