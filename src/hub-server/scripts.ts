/** The router's scripts check that this hub is still the router: one that hung must not touch another's batch. */

/** KEYS: router. ARGV: token, ms. @returns 1 if this hub is the router for that long */
export const BECOME_ROUTER = `
local holder = redis.call('GET', KEYS[1])
if holder and holder ~= ARGV[1] then return 0 end
-- In a full Redis a script may write only once it has removed something.
redis.call('DEL', KEYS[1])
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1`

/** KEYS: router. ARGV: token. Lets another hub take over without waiting until the time is over. */
export const RESIGN = `
if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end
return 1`

/**
 * KEYS: router, inbox, held, taken. ARGV: token, how many, longest. A batch that a crash left comes first. A record that is
 * longer is cut to `longest` bytes and one more, so that its reader sees that it is too long.
 */
export const TAKE = `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return false end
local taken = redis.call('LRANGE', KEYS[4], 0, -1)
if #taken > 0 then return taken end
local from = KEYS[2]
if redis.call('EXISTS', KEYS[3]) == 1 then from = KEYS[3]
elseif redis.call('TYPE', from).ok ~= 'list' then return taken end
for _ = 1, tonumber(ARGV[2]) do
  local one = redis.call('LPOP', from)
  if not one then break end
  one = string.sub(one, 1, ARGV[3] + 1)
  redis.call('RPUSH', KEYS[4], one)
  taken[#taken + 1] = one
end
return taken`

/** KEYS: router, taken. ARGV: token, how many. */
export const FINISH = `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
redis.call('LTRIM', KEYS[2], ARGV[2], -1)
return 1`

/** KEYS: lists; others are skipped. ARGV: text, how many of each list to search. @returns 1 if one contains the text */
export const FIND = `
for _, list in ipairs(KEYS) do
  local isList = redis.call('TYPE', list).ok == 'list'
  local count = isList and math.min(redis.call('LLEN', list), tonumber(ARGV[2])) or 0
  for from = 0, count - 1, 100 do
    for _, one in ipairs(redis.call('LRANGE', list, from, from + 99)) do
      if string.find(one, ARGV[1], 1, true) then return 1 end
    end
  end
end
return 0`

/**
 * KEYS: shown, withdrawing. ARGV: id, ms. Of two hubs, only the one that removes the entry withdraws the message.
 * @returns 1 if this one does
 */
export const BEGIN_WITHDRAWAL = `
if redis.call('HDEL', KEYS[1], ARGV[1]) == 0 then return 0 end
redis.call('HSET', KEYS[2], ARGV[1], '1')
redis.call('PEXPIRE', KEYS[2], ARGV[2])
return 1`

/** KEYS: one that holds a number. ARGV: number, seconds until it expires. The number only grows. */
export const RAISE = `
local before = redis.call('GET', KEYS[1])
if before and tonumber(before) >= tonumber(ARGV[1]) then return 0 end
redis.call('SET', KEYS[1], ARGV[1], 'EX', ARGV[2])
return 1`

/** KEYS: inbox, held, reserve. Makes the inbox a string, to which machines cannot add. @returns 1 if it is shut */
export const SHUT_INBOX = `
redis.call('DEL', KEYS[3])
if redis.call('TYPE', KEYS[1]).ok == 'string' then return 1 end
if redis.call('EXISTS', KEYS[2]) == 1 then return 0 end
if redis.call('EXISTS', KEYS[1]) == 1 then redis.call('RENAME', KEYS[1], KEYS[2]) end
redis.call('SET', KEYS[1], 'full')
return 1`

/** KEYS: inbox, held, reserve. ARGV: bytes to reserve. @returns 1 if it is open */
export const OPEN_INBOX = `
if redis.call('TYPE', KEYS[1]).ok == 'string' then
  if redis.call('EXISTS', KEYS[2]) == 1 then return 0 end
  redis.call('DEL', KEYS[1])
end
if redis.call('STRLEN', KEYS[3]) ~= tonumber(ARGV[1]) then
  redis.call('DEL', KEYS[3])
  if tonumber(ARGV[1]) > 0 then redis.call('SETRANGE', KEYS[3], ARGV[1] - 1, ' ') end
end
return 1`

/** KEYS: two, so that it becomes a transaction in the append-only file of Redis. ARGV: how many starts. */
export const NOTE_START = `
redis.call('SET', KEYS[1], ARGV[1])
redis.call('SET', KEYS[2], ARGV[1])
return 1`
