-- with leasing
-- Claim the first open case for a reviewer, by falling priority along the rarest index.
-- KEYS[1] open cases · ARGV[1] prefix · [2] what is wanted, as JSON
-- want: reviewer, token, ttl, until · indexes: keys a case has to stand in · passed: ids
-- apps: keys of which a case has to stand in one; absent for any
-- since: of answers given since then (ms), 0 for any; none of these has a priority below lowest
-- start: rank to begin at · after: id that was looked at last · steps: how many at most
-- far: how many of busy groups to walk past · fallback: the first of those so far, or ''
-- Returns 'ok', id, token, fence · 'more', rank, last id, fallback, how far · or 'none'.
local prefix, spec = ARGV[1], cjson.decode(ARGV[2])
local want = spec.want

local walk, fewest = KEYS[1], redis.call('ZCARD', KEYS[1])
for _, key in ipairs(spec.indexes) do
  local size = redis.call('ZCARD', key)
  if size < fewest then
    walk, fewest = key, size
  end
end
local passed = {}
for _, id in ipairs(spec.passed) do
  passed[id] = true
end

local live, busy = live_claims(prefix), {}
for subject, reviewer in pairs(live) do
  if reviewer ~= want.reviewer then
    local kind, id = string.match(subject, '^(%a+):(.+)$')
    local group = kind == 'group' and id
      or kind == 'case' and redis.call('HGET', prefix .. 'case:' .. id, 'group')
    if group then
      busy[group] = true
    end
  end
end

local function in_one_of(keys, id)
  for _, key in ipairs(keys) do
    if redis.call('ZSCORE', key, id) then
      return true
    end
  end
  return false
end

local function fits(id)
  if passed[id] then
    return false
  end
  local holder = live['case:' .. id]
  if holder and holder ~= want.reviewer then
    return false
  end
  if walk ~= KEYS[1] and not redis.call('ZSCORE', KEYS[1], id) then
    return false
  end
  for _, key in ipairs(spec.indexes) do
    if key ~= walk and not redis.call('ZSCORE', key, id) then
      return false
    end
  end
  if spec.apps and not in_one_of(spec.apps, id) then
    return false
  end
  return spec.since == 0
    or tonumber(redis.call('ZSCORE', prefix .. 'cases:since:open', id) or 0) >= spec.since
end

local function give(id)
  local lease = take_lease(prefix, 'case:' .. id, want)
  return {'ok', id, lease[2], lease[3]}
end

-- What was taken away above moves the rest up: going on by the last one's own rank misses nothing.
local rank, fallback, far = spec.start, spec.fallback, spec.far
local known = spec.after ~= '' and redis.call('ZREVRANK', walk, spec.after)
if known then
  rank = known + 1
elseif spec.after ~= '' then
  rank = math.max(0, rank - spec.steps)
end
local ids = redis.call('ZREVRANGE', walk, rank, rank + spec.steps - 1)
for _, id in ipairs(ids) do
  if fits(id) then
    local case = redis.call('HMGET', prefix .. 'case:' .. id, 'group', 'skip:' .. want.reviewer)
    if not case[2] then
      if not busy[case[1]] then
        return give(id)
      end
      if fallback == '' then
        fallback = id
      end
      far = far - 1
      if far <= 0 then
        break
      end
    end
  end
end
local ends = spec.since ~= 0 and #ids > 0
  and tonumber(redis.call('ZSCORE', walk, ids[#ids])) < spec.lowest
if #ids == spec.steps and far > 0 and not ends then
  return {'more', rank + #ids, ids[#ids], fallback, far}
end
if fallback ~= '' and fits(fallback) then
  return give(fallback)
end
return {'none'}
