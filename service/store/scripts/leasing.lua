-- with casebook
-- Leases of cases, tasks and groups. They end by the clock of Redis, one for all web processes.

local function lease_key(prefix, subject)
  return prefix .. 'lease:' .. subject
end

-- Take it, or renew one's own. want: reviewer, token, ttl (ms), until_ms, as text.
-- Returns 'ok', token, fence; or 'taken', holder, until.
local function take_lease(prefix, subject, want)
  local key = lease_key(prefix, subject)
  local held = redis.call('HMGET', key, 'reviewer', 'until', 'token', 'fence')
  if held[1] and held[1] ~= want.reviewer then
    return {'taken', held[1], held[2]}
  end
  local token, fence = held[3], held[4]
  if not held[1] then
    token = want.token
    fence = string.format('%d', redis.call('HINCRBY', prefix .. 'fences', 'review', 1))
    redis.call('HSET', key, 'reviewer', want.reviewer, 'token', token, 'fence', fence)
    redis.call('SADD', prefix .. 'claims', subject)
  end
  redis.call('HSET', key, 'until', want['until'])
  redis.call('PEXPIRE', key, want.ttl)
  return {'ok', token, fence}
end

local function drop_lease(prefix, subject)
  redis.call('DEL', lease_key(prefix, subject))
  redis.call('SREM', prefix .. 'claims', subject)
end

-- Whoever holds something now: subject -> reviewer. What ran out is forgotten.
local function live_claims(prefix)
  local live = {}
  for _, subject in ipairs(redis.call('SMEMBERS', prefix .. 'claims')) do
    local reviewer = redis.call('HGET', lease_key(prefix, subject), 'reviewer')
    if reviewer then
      live[subject] = reviewer
    else
      redis.call('SREM', prefix .. 'claims', subject)
    end
  end
  return live
end

-- Whether a person may take it: it is there, it may be seen, and it is not done with.
local function may_take(prefix, subject, reviewer)
  local kind, id = string.match(subject, '^(%a+):(.+)$')
  if kind == 'case' then
    local status = redis.call('HGET', prefix .. 'case:' .. id, 'status')
    return status == 'open' or status == 'resolved'
  elseif kind == 'task' then
    local task = redis.call('HMGET', prefix .. 'task:' .. id, 'status', 'by:' .. reviewer)
    return task[1] == 'open' and task[2] ~= 'labelled'
  elseif kind == 'group' then
    return redis.call('EXISTS', prefix .. 'g:' .. id) == 1
  end
  return false
end
