-- What every script does with a flagged answer: count its groups, keep its case if there is room.
-- state: spec, prefix, overflow (group id -> key), open_count.

local function flagging(spec)
  local prefix = spec.prefix
  return {spec = spec, prefix = prefix, overflow = {}, totals = prefix .. 'totals',
    open_count = redis.call('ZCARD', prefix .. 'cases:status:open')}
end

-- Groups count every member, whether or not a case is kept for it. Nothing in a group depends on
-- the order of the batches: it shows the surface and severity of its earliest member (of equally
-- early ones the first by name) and the kept case with the smallest id.
local function count_groups(state)
  local spec, prefix = state.spec, state.prefix
  local groups = prefix .. 'groups'
  local group_count = redis.call('ZCARD', groups)
  for _, hit in ipairs(spec.groups) do
    local key = prefix .. 'g:' .. hit.id
    local known = redis.call('HMGET', key, 'first_seen', 'surface', 'severity')
    if not known[1] and group_count >= spec.max_groups then
      state.overflow[hit.id] = prefix .. 'g:overflow:' .. hit.app .. ':' .. hit.check
      redis.call('HINCRBY', state.totals, 'group_overflow', 1)
    else
      if not known[1] then
        group_count = group_count + 1
        redis.call('HSET', key, 'app', hit.app, 'check', hit.check, 'reason', hit.reason,
          'cause', hit.cause)
      end
      local age = known[1] and tonumber(known[1]) - tonumber(hit.ms) or 1
      if age > 0 or (age == 0 and (hit.surface < known[2]
          or (hit.surface == known[2] and hit.severity < known[3]))) then
        redis.call('HSET', key, 'first_seen', hit.ms, 'surface', hit.surface,
          'severity', hit.severity)
      end
      redis.call('HINCRBY', key, 'count', 1)
      if redis.call('HINCRBY', key, 'd:' .. hit.day, 1) == 1 then
        -- The day's first member: the trend keeps 60 days, the room for cases two.
        local day = tonumber(hit.day)
        redis.call('HDEL', key, 'd:' .. string.format('%d', day - 60),
          'p:' .. string.format('%d', day - 2))
      end
      redis.call('ZADD', groups, 'GT', hit.ms, hit.id)
    end
  end
end

local function group_key(state, id)
  return state.overflow[id] or (state.prefix .. 'g:' .. id)
end

local function has_room(state, case)
  for _, id in ipairs(case.groups) do
    local kept = redis.call('HGET', group_key(state, id), 'p:' .. case.day) or '0'
    if tonumber(kept) < state.spec.cases_per_group_day then
      return state.spec.payloads and state.open_count < state.spec.max_cases
    end
  end
  return false
end

local function list_case(state, case)
  for _, index in ipairs(case.indexes) do
    redis.call('ZADD', state.prefix .. 'cases:' .. index[1] .. ':' .. index[2],
      case.priority, case.id)
    redis.call('SADD', state.prefix .. 'facet:' .. index[1], index[2])
  end
end

-- A case is kept while one of its groups has room that day and memory allows. An answer that is
-- under audit is withheld: who audits it must not meet its findings.
local function keep_case(state, case, record)
  local prefix, key = state.prefix, state.prefix .. 'case:' .. case.id
  local keep = has_room(state, case)
  if case.decided ~= nil and case.decided ~= cjson.null then
    keep = case.decided
  end
  if not keep or redis.call('EXISTS', key) == 1 then
    return false
  end
  local audited = redis.call('HGET', prefix .. 'task:' .. case.id, 'status') == 'open'
  local status = audited and 'withheld' or 'open'
  for _, id in ipairs(case.groups) do
    local group = group_key(state, id)
    redis.call('HINCRBY', group, 'p:' .. case.day, 1)
    local sample = redis.call('HGET', group, 'sample')
    if not audited and (not sample or case.id < sample) then
      redis.call('HSET', group, 'sample', case.id)
    end
  end
  redis.call('HSET', key, 'record', record, 'status', status, 'group', case.groups[1],
    'severity', case.severity, 'priority', case.priority)
  redis.call('ZADD', prefix .. 'cases:status:' .. status, case.priority, case.id)
  list_case(state, case)
  if not audited then
    redis.call('ZADD', prefix .. 'cases:open:' .. case.severity, case.priority, case.id)
    state.open_count = state.open_count + 1
  end
  return true
end

-- An answer that is flagged after its batch, by judge or feedback, and has no case so far. It counts
-- as flagged once, whoever comes first; who comes later finds it in the books as suppressed.
local function flag_late(state, answer, kept)
  local key = state.prefix .. 'flagged:' .. answer.day
  local flagged = answer.flagged or redis.call('SISMEMBER', key, answer.row_key) == 1
  if kept then
    redis.call('HINCRBY', state.totals, 'cases', 1)
  end
  if not flagged then
    redis.call('HINCRBY', state.totals, 'flagged', 1)
    if not kept then
      redis.call('SADD', key, answer.row_key)
      redis.call('EXPIRE', key, answer.row_ttl_s)
    end
  end
  redis.call('HINCRBY', state.totals, 'suppressed', (kept and 0 or 1) - (flagged and 1 or 0))
end
