-- with reviewing
-- Changes of one subject, all or nothing: history, states, indexes and outbox together.
-- KEYS[1] history · KEYS[2] outbox · KEYS[3] meta · KEYS[4] lease that it needs (spec.leased)
-- ARGV[1] JSON (see Changes) · ARGV[2..] the changes
local spec = cjson.decode(ARGV[1])
local prefix = spec.prefix

local meta = redis.call('HMGET', KEYS[3], 'epoch', 'state')
if spec.repeated then
  if meta[1] ~= spec.epoch then
    return {'fenced'}
  end
else
  if meta[2] and meta[2] ~= '' then
    return {'rebuilding'}
  end
  if spec.leased then
    local lease = redis.call('HMGET', KEYS[4], 'token', 'reviewer')
    if lease[1] ~= spec.token or lease[2] ~= spec.reviewer then
      return {'lost'}
    end
  end
  -- A bulk label leaves alone what somebody is at.
  if spec.free and redis.call('EXISTS', lease_key(prefix, spec.subject)) == 1 then
    return {'held'}
  end
  local last = redis.call('LINDEX', KEYS[1], -1)
  if (last and cjson.decode(last).number or 0) ~= spec.version then
    return {'stale'}
  end
  if not is_there(spec) then
    return {'unknown'}
  end
end

for i = 2, #ARGV do
  redis.call('RPUSH', KEYS[1], ARGV[i])
  if not spec.repeated then
    redis.call('RPUSH', KEYS[2], ARGV[i])
  end
end
for _, entry in ipairs(spec.listed) do
  redis.call('ZADD', prefix .. 'changes', entry[2], entry[1])
  redis.call('ZADD', prefix .. 'changes:' .. entry[3], entry[2], entry[1])
end
stand[spec.kind](spec)
if spec.release then
  drop_lease(prefix, spec.subject)
end
return {'ok'}
