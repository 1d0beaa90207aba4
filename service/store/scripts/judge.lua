-- with flagging
-- One judgement's effects, all or nothing, and only while its job is still there.
-- KEYS[1] judge jobs · KEYS[2] outbox of what comes late · KEYS[3] meta
-- ARGV[1] the effects as JSON · ARGV[2] the record for rag.verdicts, still open (this script closes
-- it with what became of the case) · ARGV[3] deflated judgement for the case · ARGV[4] the deflated
-- record of the case that it may open
local spec = cjson.decode(ARGV[1])
local prefix = spec.prefix

if redis.call('HGET', KEYS[3], 'epoch') ~= spec.epoch then
  return {'fenced'}
end
if not spec.repeated and #redis.call('XRANGE', KEYS[1], spec.entry, spec.entry) == 0 then
  return {'gone'}
end

local totals = prefix .. 'totals'
for field, n in pairs(spec.totals) do
  redis.call('HINCRBY', totals, field, n)
end
local counter = spec.counter
for field, n in pairs(counter.fields) do
  redis.call('HINCRBY', prefix .. 'n:' .. counter.name, field, n)
end
redis.call('ZADD', prefix .. 'hours', counter.hour, counter.name)
local judged = prefix .. 'judged:' .. spec.day
redis.call('HSET', judged, spec.row_key, spec.row)
redis.call('EXPIRE', judged, spec.row_ttl_s)

-- A graver finding raises a case that is already there, by what its severity weighs more.
local function enrich(state, case)
  local key = prefix .. 'case:' .. case.id
  local was = redis.call('HMGET', key, 'severity', 'priority', 'status', 'group', 'occurred')
  local more = spec.weights[case.severity] - spec.weights[was[1]]
  case.priority = was[2]
  if more > 0 then
    case.priority = string.format('%.17g', tonumber(was[2]) + more)
    redis.call('ZREM', prefix .. 'cases:severity:' .. was[1], case.id)
    case.indexes[#case.indexes + 1] = {'severity', case.severity}
    redis.call('HSET', key, 'severity', case.severity, 'priority', case.priority)
    redis.call('ZADD', prefix .. 'cases:status:' .. was[3], case.priority, case.id)
    if was[3] == 'open' then
      unlist_open(prefix, case.id, was[1], was[4])
      list_open(prefix, case.id, case.severity, was[4], case.priority, was[5])
    end
  end
  list_case(state, case)
end

local case, became, state = spec.case, '', flagging(spec)
local key = prefix .. 'case:' .. case.id
local found = #spec.groups > 0
if found then
  count_groups(state)
end
if redis.call('EXISTS', key) == 1 then
  became = 'enriched'
  if found then
    enrich(state, case)
  end
elseif found then
  became = keep_case(state, case, ARGV[4])
  flag_late(state, spec, became)
end
if became == 'enriched' or became == 'opened' then
  redis.call('HSET', key, 'judgement', ARGV[3])
  if found then
    redis.call('HSET', key, 'judged', spec.marks)
  end
end

if not spec.repeated then
  if became == 'opened' then
    redis.call('RPUSH', KEYS[2], ARGV[4])
  end
  redis.call('RPUSH', KEYS[2], ARGV[2] .. ',"case":"' .. became .. '","seq":'
    .. string.format('%d', redis.call('HINCRBY', KEYS[3], 'late', 1)) .. '}')
  redis.call('XACK', KEYS[1], spec.group, spec.entry)
  redis.call('XDEL', KEYS[1], spec.entry)
end
return {'ok', became}
