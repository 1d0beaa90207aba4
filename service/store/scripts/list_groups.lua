-- with paging
-- A page of groups by falling (last seen, id), or as much of it as one call finds. Nothing is written.
-- KEYS[1] groups · KEYS[2] withheld cases · ARGV[1] prefix · [2] JSON:
-- apps: of these alone (app → true); absent for all
-- ids: these and no others, where there are any · app, check, reason, severity: '' for any
-- want: how many at most · steps: how many to look at · after, score: the last one looked at, or ''
-- Returns the last one looked at and its score ('' at the end), then of each group found: id, score,
-- app, check, reason, cause, severity, surface, count, decision, reopened, sample, members by day
-- ('day:n,'), open cases, the change that decided it.
local prefix, spec = ARGV[1], cjson.decode(ARGV[2])
local withheld = redis.call('ZCARD', KEYS[2])

local function fits_kind(kind)
  local app, check, reason = string.match(kind, '^(.*):([^:]*):([^:]*)$')
  return (not spec.apps or spec.apps[app] or false) and (spec.app == '' or spec.app == app) and (spec.check == '' or spec.check == check)
    and (spec.reason == '' or spec.reason == reason)
end

-- The lists in which all that fit stand: one of all, or those of the kinds that fit.
local function lists()
  if not spec.apps and spec.app == '' and spec.check == '' and spec.reason == '' then
    return {KEYS[1]}
  end
  local found = {}
  for _, kind in ipairs(redis.call('SMEMBERS', prefix .. 'kinds')) do
    if fits_kind(kind) then
      found[#found + 1] = KEYS[1] .. ':' .. kind
    end
  end
  return found
end

local function comes_before(a, b)
  return a[2] > b[2] or (a[2] == b[2] and a[1] > b[1])
end

-- The next ones of all lists in their common order, and whether there are more. Of each list a part
-- is read: what comes after the end of any part that is cut is left for the next call.
local function next_ones()
  local from = lists()
  local each = math.max(spec.want, math.floor(spec.steps / math.max(1, #from)))
  local ones, cut = {}, nil
  for _, list in ipairs(from) do
    local rank = first_rank(list, spec)
    local part = redis.call('ZREVRANGE', list, rank, rank + each - 1, 'WITHSCORES')
    for i = 1, #part, 2 do
      ones[#ones + 1] = {part[i], tonumber(part[i + 1]), part[i + 1]}
    end
    local last = ones[#ones]
    if #part == 2 * each and (not cut or comes_before(last, cut)) then
      cut = last
    end
  end
  if #from > 1 then
    table.sort(ones, comes_before)
  end
  while cut and ones[#ones] ~= cut do
    ones[#ones] = nil
  end
  return ones, cut ~= nil
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
  if spec.apps and not spec.apps[group[1]] then
    return
  end
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
local ones, more = next_ones()
for i, one in ipairs(ones) do
  if spec.severity == '' or redis.call('HGET', prefix .. 'g:' .. one[1], 'severity') == spec.severity then
    take(one[1], one[3])
    if found == spec.want then
      break
    end
  end
  if i == #ones and more then
    reply[1], reply[2] = one[1], one[3]
  end
end
return reply
