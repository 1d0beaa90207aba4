-- with casebook
-- Cases and tasks that end: of them only their number is kept, and what people said.

-- Out of every index; an index that is empty stands for no value any more.
local function unlist_case(prefix, id)
  for _, dimension in ipairs({'all', 'app', 'release', 'severity', 'language', 'check', 'reason'}) do
    local facet = prefix .. 'facet:' .. dimension
    for _, value in ipairs(redis.call('SMEMBERS', facet)) do
      local index = prefix .. 'cases:' .. dimension .. ':' .. value
      if redis.call('ZREM', index, id) == 1 and redis.call('EXISTS', index) == 0 then
        redis.call('SREM', facet, value)
      end
    end
  end
end

local function end_case(prefix, id, term)
  local key = prefix .. 'case:' .. id
  local case = redis.call('HMGET', key, 'status', 'severity', 'group')
  if not case[1] then
    return false
  end
  redis.call('ZREM', prefix .. 'cases:status:' .. case[1], id)
  redis.call('ZREM', prefix .. 'cases:since:resolved', id)
  unlist_open(prefix, id, case[2], case[3])
  unlist_case(prefix, id)
  redis.call('DEL', key, prefix .. 'lease:case:' .. id)
  redis.call('HINCRBY', prefix .. 'totals', 'cases:' .. term, 1)
  return true
end

-- state: the one that it is counted in from now on.
local function end_task(prefix, id, state)
  local key = prefix .. 'task:' .. id
  local status = redis.call('HGET', key, 'status')
  if not status then
    return false
  end
  redis.call('ZREM', prefix .. 'tasks:' .. status, id)
  redis.call('ZREM', prefix .. 'disagreements', id)
  redis.call('DEL', key, prefix .. 'lease:task:' .. id)
  redis.call('HINCRBY', prefix .. 'totals', 'tasks:' .. (state or status), 1)
  return true
end
