-- with casebook
-- What every script does with a flagged answer: count its groups, keep its case if there is room.
-- state: spec, prefix, overflow (group id -> key), decisions (group id -> decision), open_count.

local function flagging(spec)
  local prefix = spec.prefix
  return {spec = spec, prefix = prefix, overflow = {}, decisions = {}, totals = prefix .. 'totals',
    open_count = redis.call('ZCARD', prefix .. 'cases:status:open')}
end

-- What a person decided on a group, while it holds: false once its rate has doubled.
local function decision_on(state, key, id)
  local known = state.decisions[id]
  if known == nil then
    local fields = redis.call('HMGET', key, 'decision', 'reopened')
    known = fields[1] and not fields[2] and cjson.decode(fields[1])
    state.decisions[id] = known
  end
  return known
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
        redis.call('SADD', prefix .. 'kinds', kind_of(hit.app, hit.check, hit.reason))
      end
      local age = known[1] and tonumber(known[1]) - tonumber(hit.ms) or 1
      if age > 0 or (age == 0 and (hit.surface < known[2]
          or (hit.surface == known[2] and hit.severity < known[3]))) then
        redis.call('HSET', key, 'first_seen', hit.ms, 'surface', hit.surface,
          'severity', hit.severity)
      end
      redis.call('HINCRBY', key, 'count', 1)
      local today = redis.call('HINCRBY', key, 'd:' .. hit.day, 1)
      local decision = decision_on(state, key, hit.id)
      if decision and tonumber(hit.day) >= decision.day and today > decision.threshold then
        redis.call('HSET', key, 'reopened', '1')
        state.decisions[hit.id] = false
      end
      if today == 1 then
        -- The day's first member: the trend keeps 60 days, the room for cases two.
        local day = tonumber(hit.day)
        redis.call('HDEL', key, 'd:' .. string.format('%d', day - 60),
          'p:' .. string.format('%d', day - 2))
      end
      redis.call('ZADD', groups, 'GT', hit.ms, hit.id)
      redis.call('ZADD', groups .. ':' .. kind_of(hit.app, hit.check, hit.reason), 'GT', hit.ms,
        hit.id)
    end
  end
end

local function group_key(state, id)
  return state.overflow[id] or (state.prefix .. 'g:' .. id)
end

-- Whether the group's decision takes this member without a case.
local function absorbs(state, id, case)
  local decision = not state.overflow[id] and decision_on(state, group_key(state, id), id)
  return decision and (decision.until_ms == cjson.null or case.occurred < decision.until_ms)
    and (decision.ruleset == cjson.null or case.ruleset == decision.ruleset)
end

-- What a new cause brings is worth a look, whatever known ones come with it.
local function is_absorbed(state, case)
  for _, id in ipairs(case.groups) do
    if not absorbs(state, id, case) then
      return false
    end
  end
  return true
end

local function has_room(state, case)
  for _, id in ipairs(case.groups) do
    local kept = redis.call('HGET', group_key(state, id), 'p:' .. case.day) or '0'
    if tonumber(kept) < state.spec.cases_per_group_day and not absorbs(state, id, case) then
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

-- What becomes of a flagged answer: 'opened', 'suppressed' or 'grouped'. A case is kept while one of
-- its groups has room that day and memory allows. An answer that is under audit is withheld: who
-- audits it must not meet its findings. case.decided: what became of it when this was done first.
local function keep_case(state, case, record)
  local prefix, key = state.prefix, state.prefix .. 'case:' .. case.id
  local became = case.decided
  if became == nil or became == cjson.null then
    became = is_absorbed(state, case) and 'grouped' or has_room(state, case) and 'opened'
      or 'suppressed'
  end
  if became ~= 'opened' then
    return became
  end
  if redis.call('EXISTS', key) == 1 then
    return 'suppressed'
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
  local occurred = string.format('%.0f', case.occurred)
  redis.call('HSET', key, 'record', record, 'summary', case.summary, 'status', status,
    'group', case.groups[1], 'severity', case.severity, 'priority', case.priority,
    'occurred', occurred)
  redis.call('ZADD', prefix .. 'cases:status:' .. status, case.priority, case.id)
  list_case(state, case)
  if not audited then
    list_open(prefix, case.id, case.severity, case.groups[1], case.priority, occurred)
    state.open_count = state.open_count + 1
  end
  return 'opened'
end

-- An answer that is flagged after its batch, by judge or feedback, and has no case so far. It counts
-- as flagged once, whoever comes first; who comes later finds it in the books where that one left it.
local function flag_late(state, answer, became)
  local prefix, totals = state.prefix, state.totals
  local flagged_key, grouped_key = prefix .. 'flagged:' .. answer.day, prefix .. 'grouped:' .. answer.day
  local flagged = answer.flagged or redis.call('SISMEMBER', flagged_key, answer.row_key) == 1
  if flagged then
    if became == 'opened' then
      local was = redis.call('SREM', grouped_key, answer.row_key) == 1 and 'auto_grouped'
        or 'suppressed'
      redis.call('HINCRBY', totals, was, -1)
      redis.call('HINCRBY', totals, 'cases', 1)
    end
    return
  end
  redis.call('HINCRBY', totals, 'flagged', 1)
  local terms = {opened = 'cases', suppressed = 'suppressed', grouped = 'auto_grouped'}
  redis.call('HINCRBY', totals, terms[became], 1)
  if became ~= 'opened' then
    redis.call('SADD', flagged_key, answer.row_key)
    redis.call('EXPIRE', flagged_key, answer.row_ttl_s)
  end
  if became == 'grouped' then
    redis.call('SADD', grouped_key, answer.row_key)
    redis.call('EXPIRE', grouped_key, answer.row_ttl_s)
  end
end
