/** All of them check that this hub is still the router: one that stood still must not touch another's batch. */

/** KEYS: router. ARGV: token, ms. @returns 1 where this hub is the router for that long */
export const BECOME_ROUTER = `
local holder = redis.call('GET', KEYS[1])
if holder and holder ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1`

/** KEYS: router, inbox, taken, counts. ARGV: token, how many, longest. What a crash left behind comes first. */
export const TAKE = `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return false end
local taken = redis.call('LRANGE', KEYS[3], 0, -1)
if #taken > 0 then return taken end
for _ = 1, tonumber(ARGV[2]) do
  local one = redis.call('LPOP', KEYS[2])
  if not one then break end
  if #one > tonumber(ARGV[3]) then
    redis.call('HINCRBY', KEYS[4], 'refused', 1)
  else
    redis.call('RPUSH', KEYS[3], one)
    taken[#taken + 1] = one
  end
end
return taken`

/** KEYS: router, taken. ARGV: token, how many. */
export const FINISH = `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
redis.call('LTRIM', KEYS[2], ARGV[2], -1)
return 1`

/** KEYS: one that holds a number. ARGV: number, seconds. It only grows. */
export const RAISE = `
local before = redis.call('GET', KEYS[1])
if before and tonumber(before) >= tonumber(ARGV[1]) then return 0 end
redis.call('SET', KEYS[1], ARGV[1], 'EX', ARGV[2])
return 1`
