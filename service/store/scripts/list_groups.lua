-- A page of groups by falling (last seen, id), or as much of it as one call finds. Nothing is written.
-- KEYS[1] groups · KEYS[2] withheld cases · ARGV[1] prefix · [2] JSON:
-- ids: these and no others, where there are any · app, check, reason, severity: '' for any
-- want: how many at most · steps: how many to look at · after, score: the last one looked at, or ''
-- Returns the last one looked at and its score ('' at the end), then of each group found: id, score,
-- app, check, reason, cause, severity, surface, count, decision, reopened, sample, members by day
-- ('day:n,'), open cases, the change that decided it.
local prefix, spec = ARGV[1], cjson.decode(ARGV[2])
local names = {'app', 'check', 'reason', 'severity'}
local withheld = redis.call('ZCARD', KEYS[2])

local function first_rank()
  if spec.after == '' then
    return 0
  end
  local score = redis.call('ZSCORE', KEYS[1], spec.after)
  if score and tonumber(score) == tonumber(spec.score) then
    return redis.call('ZREVRANK', KEYS[1], spec.after) + 1
  end
  local rank = redis.call('ZCOUNT', KEYS[1], '(' .. spec.score, '+inf')
  for _, id in ipairs(redis.call('ZREVRANGEBYSCORE', KEYS[1], spec.score, spec.score)) do
    if id < spec.after then
      break
    end
    rank = rank + 1
  end
  return rank
end

local filtered = false
for _, name in ipairs(names) do
  filtered = filtered or spec[name] ~= ''
end

local function fits(key)
  local fields = filtered and redis.call('HMGET', key, unpack(names)) or {}
  for i, name in ipairs(names) do
    if spec[name] ~= '' and fields[i] ~= spec[name] then
      return false
    end
  end
  return true
end

-- The group's own sample, or its first open case once that one is gone.
local function sample_of(own, cases)
  local status = own and redis.call('HGET', prefix .. 'case:' .. own, 'status')
  if status and status ~= 'withheld' then
    return own
  end
  return redis.call('ZREVRANGE', cases, 0, 0)[1]
end

local function days_of(key)
  local fields, days = redis.call('HGETALL', key), {}
  for i = 1, #fields, 2 do
    if string.sub(fields[i], 1, 2) == 'd:' then
      days[#days + 1] = string.sub(fields[i], 3) .. ':' .. fields[i + 1]
    end
  end
  return table.concat(days, ',')
end

local reply, found = {'', ''}, 0
local function take(id, score)
  local key, cases = prefix .. 'g:' .. id, prefix .. 'cases:group:' .. id
  local group = redis.call('HMGET', key, 'app', 'check', 'reason', 'cause', 'severity', 'surface',
    'count', 'decision', 'reopened', 'sample')
  local decided = group[8] or group[9]
  local sample = sample_of(group[10], cases)
  -- Not one all of whose members may be under audit: it would tell what was found in them.
  if not group[7] or not (sample or decided or tonumber(group[7]) > withheld) then
    return
  end
  reply[#reply + 1] = {id, score, group[1], group[2], group[3], group[4], group[5], group[6],
    group[7], group[8], group[9], sample or false, days_of(key), redis.call('ZCARD', cases),
    decided and redis.call('LINDEX', prefix .. 'history:group:' .. id, -1)}
  found = found + 1
end

if #spec.ids > 0 then
  for _, id in ipairs(spec.ids) do
    take(id, '0')
  end
  return reply
end
local rank = first_rank()
local ids = redis.call('ZREVRANGE', KEYS[1], rank, rank + spec.steps - 1, 'WITHSCORES')
for i = 1, #ids, 2 do
  if fits(prefix .. 'g:' .. ids[i]) then
    take(ids[i], ids[i + 1])
    if found == spec.want then
      break
    end
  end
  if i == #ids - 1 and #ids == 2 * spec.steps then
    reply[1], reply[2] = ids[i], ids[i + 1]
  end
end
return reply
