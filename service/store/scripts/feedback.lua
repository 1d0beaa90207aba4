-- with flagging
-- What one piece of feedback on one answer does, all or nothing and once.
-- KEYS[1] judge jobs · KEYS[2] outbox of what comes late · KEYS[3] meta · KEYS[4] the answer's
-- bucket of the index · KEYS[5] how far feedback is read
-- ARGV[1] the effects as JSON · ARGV[2] the record for rag.verdicts, still open · ARGV[3] the
-- deflated record of the case that it may open · ARGV[4] the deflated job · ARGV[5] the comment
local spec = cjson.decode(ARGV[1])
local prefix, repeated = spec.prefix, spec.repeated

if redis.call('HGET', KEYS[3], 'epoch') ~= spec.epoch then
  return {'fenced'}
end
local read = redis.call('HGET', KEYS[5], spec.read[1])
local is_new = not read or tonumber(read) <= spec.read[2]
local entry = spec.identity ~= '' and redis.call('HGET', KEYS[4], spec.identity)
if not repeated then
  if not is_new then
    return {'repeated'}
  end
  if spec.entry ~= '' and entry ~= spec.entry then
    return {'changed'}
  end
end
if is_new then
  redis.call('HSET', KEYS[5], spec.read[1], string.format('%d', spec.read[2] + 1))
end

-- The second draw. What it selects moves in the books; a full backlog refuses it as any other.
local totals = prefix .. 'totals'
local names = {o = 'sampled_out', b = 'budget_skipped', r = 'budget_skipped', s = 'selected'}
local function count(letter, n)
  redis.call('HINCRBY', totals, 'judge:' .. names[letter], n)
  redis.call('HINCRBY', prefix .. 'n:' .. spec.counter,
    spec.field .. 'judge:' .. names[letter] .. ':' .. spec.stratum, n)
  redis.call('ZADD', prefix .. 'hours', spec.hour, spec.counter)
  if letter == 'r' then
    redis.call('HINCRBY', totals, 'judge:budget_skipped:backlog', n)
  end
end

local to = spec.to
if spec.drawn and not repeated then
  local refused = not spec.payloads or redis.call('XLEN', KEYS[1]) >= spec.max_backlog
  to = refused and 'r' or 's'
  if to == spec.state then
    to = ''
  end
end
if to ~= '' then
  count(spec.state, -1)
  count(to, 1)
  if entry then
    redis.call('HSET', KEYS[4], spec.identity,
      string.sub(entry, 1, -3) .. to .. string.sub(entry, -1))
  end
end
if spec.raised ~= '' then
  local key = prefix .. 'raised:' .. spec.day
  local known = redis.call('HGET', key, spec.row_key)
  if not known or tonumber(known) < tonumber(spec.raised) then
    redis.call('HSET', key, spec.row_key, spec.raised)
    redis.call('EXPIRE', key, spec.row_ttl_s)
  end
end

-- Its case: shown on the one that is there, or a new one.
local case, became, state = spec.case, spec.became, flagging(spec)
local key = prefix .. 'case:' .. case.id
local exists = redis.call('EXISTS', key) == 1
if not repeated then
  became = exists and 'hinted' or (spec.opens and 'suppressed' or '')
end
if became == 'opened' or became == 'suppressed' or became == 'grouped' then
  count_groups(state)
  became = keep_case(state, case, ARGV[3])
  flag_late(state, spec, became)
end
if (became == 'hinted' and exists) or became == 'opened' then
  redis.call('HINCRBY', key, 'thumbs_' .. spec.thumb, 1)
  if ARGV[5] ~= '' then
    redis.call('HSET', key, 'comment', ARGV[5])
  end
  if spec.thumb == 'down' then
    case.priority = redis.call('HGET', key, 'priority')
    case.indexes = spec.indexes
    list_case(state, case)
  end
end

if not repeated and (became ~= '' or to ~= '' or spec.raised ~= '') then
  if became == 'opened' then
    redis.call('RPUSH', KEYS[2], ARGV[3])
  end
  redis.call('RPUSH', KEYS[2], ARGV[2] .. ',"case":"' .. became .. '","to":"' .. to .. '","seq":'
    .. string.format('%d', redis.call('HINCRBY', KEYS[3], 'late', 1)) .. '}')
  if to == 's' then
    redis.call('XADD', KEYS[1], '*', 'id', case.id, 'job', ARGV[4])
  end
end
return {'ok', became, to}
