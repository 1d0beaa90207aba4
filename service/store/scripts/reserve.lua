-- Debit the estimate of one call, or say why not now. All workers share this one account.
-- KEYS[1] the day's budget · KEYS[2] its open reservations · KEYS[3] calls · KEYS[4] factors
-- ARGV[1] reservation · ARGV[2] now (ms) · ARGV[3] tokens · ARGV[4] money (millionths)
-- ARGV[5] 1 for an audited answer · ARGV[6] bound of tokens · ARGV[7] of money · ARGV[8] of calls a
-- minute ('' without a bound) · ARGV[9] seconds to keep the day
local audited = ARGV[5] == '1'
local kinds = {{'tokens', ARGV[3], ARGV[6]}, {'money', ARGV[4], ARGV[7]}}
for _, kind in ipairs(kinds) do
  local bound = tonumber(kind[3])
  if bound then
    local used = redis.call('HMGET', KEYS[1], kind[1], 'audit_' .. kind[1])
    local held = 0
    if not audited then
      -- What audits have used of their reserve need not be held for them any more.
      local reserve = tonumber(redis.call('HGET', KEYS[4], 'reserve_' .. kind[1]) or '0')
      held = math.max(0, reserve - tonumber(used[2] or '0'))
    end
    if tonumber(used[1] or '0') + tonumber(kind[2]) + held > bound then
      return {kind[1], 0}
    end
  end
end
local now, most = tonumber(ARGV[2]), tonumber(ARGV[8])
if most then
  -- The call that is the bound-th before this one must be a minute old.
  local before = most > 0 and redis.call('LINDEX', KEYS[3], -most)
  local wait = most > 0 and (before and tonumber(before) + 60000 - now or 0) or 60000
  if wait > 0 then
    return {'calls', wait}
  end
  redis.call('RPUSH', KEYS[3], ARGV[2])
  redis.call('LTRIM', KEYS[3], -most, -1)
  redis.call('PEXPIRE', KEYS[3], 60000)
end

redis.call('HSET', KEYS[2], ARGV[1], ARGV[3] .. ' ' .. ARGV[4] .. ' ' .. ARGV[5])
for _, kind in ipairs(kinds) do
  redis.call('HINCRBY', KEYS[1], kind[1], kind[2])
  if audited then
    redis.call('HINCRBY', KEYS[1], 'audit_' .. kind[1], kind[2])
  end
end
redis.call('HINCRBY', KEYS[1], 'calls', 1)
redis.call('EXPIRE', KEYS[1], ARGV[9])
redis.call('EXPIRE', KEYS[2], ARGV[9])
return {'ok', 0}
