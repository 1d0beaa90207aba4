-- with paging
-- A page of cases by falling (priority, id), or as much of it as one call finds. Nothing is written.
-- KEYS[1] withheld cases · ARGV[1] prefix · [2] JSON:
-- indexes: keys a case has to stand in, at least one; the rarest is walked · want: how many at most
-- steps: how many to look at · after, score: the one that was looked at last, '' for none
-- since: of answers given since then (ms), or not there; none of these has a priority below lowest
-- claimed: only those that somebody holds · ids: instead of all this, these and in their order
-- Returns the last one looked at and its score ('' at the end), then of each case found: id, score,
-- status, severity, summary, what the judge added, thumbs down, members of its group, who holds it.
local prefix, spec = ARGV[1], cjson.decode(ARGV[2])

local walk, fewest
for _, key in ipairs(spec.indexes or {}) do
  local size = redis.call('ZCARD', key)
  if not fewest or size < fewest then
    walk, fewest = key, size
  end
end

-- Few at any time: no index of them is kept.
local function held_ones()
  local held, flat = {}, {}
  for _, subject in ipairs(redis.call('SMEMBERS', prefix .. 'claims')) do
    local id = string.match(subject, '^case:(.+)$')
    local score = id and redis.call('ZSCORE', walk, id)
    if score and redis.call('EXISTS', prefix .. 'lease:' .. subject) == 1 then
      held[#held + 1] = {id, score}
    end
  end
  table.sort(held, function(a, b)
    local first, second = tonumber(a[2]), tonumber(b[2])
    return first > second or (first == second and a[1] > b[1])
  end)
  for _, one in ipairs(held) do
    local order = spec.after == '' and -1 or tonumber(one[2]) - tonumber(spec.score)
    if order < 0 or (order == 0 and one[1] < spec.after) then
      flat[#flat + 1] = one[1]
      flat[#flat + 1] = one[2]
    end
  end
  return flat
end

local withheld = redis.call('EXISTS', KEYS[1]) == 1
local function fits(id)
  for _, key in ipairs(spec.indexes or {}) do
    if key ~= walk and not redis.call('ZSCORE', key, id) then
      return false
    end
  end
  return not (withheld and redis.call('ZSCORE', KEYS[1], id))
end

local reply, found = {'', ''}, 0
local function take(id, score)
  local case = redis.call('HMGET', prefix .. 'case:' .. id, 'status', 'severity', 'summary',
    'judged', 'thumbs_down', 'group', 'occurred')
  if case[1] and (not spec.since or tonumber(case[7]) >= spec.since) then
    local alike = redis.call('HGET', prefix .. 'g:' .. case[6], 'count')
    local holder = redis.call('HGET', prefix .. 'lease:case:' .. id, 'reviewer')
    reply[#reply + 1] = {id, score, case[1], case[2], case[3], case[4], case[5], alike, holder}
    found = found + 1
  end
end

if spec.ids then
  for _, id in ipairs(spec.ids) do
    local score = redis.call('HGET', prefix .. 'case:' .. id, 'priority')
    if score and fits(id) then
      take(id, score)
    end
  end
  return reply
end
local ids
if spec.claimed then
  ids = held_ones()
else
  local rank = first_rank(walk, spec)
  ids = redis.call('ZREVRANGE', walk, rank, rank + spec.steps - 1, 'WITHSCORES')
end
local complete = spec.claimed or #ids < 2 * spec.steps
for i = 1, #ids, 2 do
  if spec.since and tonumber(ids[i + 1]) < spec.lowest then
    return reply
  end
  if fits(ids[i]) then
    take(ids[i], ids[i + 1])
    if found == spec.want then
      break
    end
  end
  if i == #ids - 1 and not complete then
    reply[1], reply[2] = ids[i], ids[i + 1]
  end
end
return reply
