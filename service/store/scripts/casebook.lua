-- Where a case stands. Every script that moves one does it here, so that its indexes stay right.

-- What a group can be filtered by, as the name of its list: no check or reason has a colon.
local function kind_of(app, check, reason)
  return app .. ':' .. check .. ':' .. reason
end

local function unlist_open(prefix, id, severity, group)
  redis.call('ZREM', prefix .. 'cases:open:' .. severity, id)
  redis.call('ZREM', prefix .. 'cases:group:' .. group, id)
  redis.call('ZREM', prefix .. 'cases:since:open', id)
  redis.call('ZREM', prefix .. 'cases:since:open:' .. severity, id)
end

local function list_open(prefix, id, severity, group, priority, occurred)
  redis.call('ZADD', prefix .. 'cases:open:' .. severity, priority, id)
  redis.call('ZADD', prefix .. 'cases:group:' .. group, priority, id)
  redis.call('ZADD', prefix .. 'cases:since:open', occurred, id)
  redis.call('ZADD', prefix .. 'cases:since:open:' .. severity, occurred, id)
end

-- Move a case. at: since when it is there (ms), of a resolved one.
local function move_case(prefix, id, to, at)
  local key = prefix .. 'case:' .. id
  local case = redis.call('HMGET', key, 'status', 'severity', 'group', 'priority', 'occurred')
  local from = case[1]
  if not from then
    return
  end
  if from ~= to then
    redis.call('HSET', key, 'status', to)
    redis.call('ZREM', prefix .. 'cases:status:' .. from, id)
    redis.call('ZADD', prefix .. 'cases:status:' .. to, case[4], id)
    if from == 'open' then
      unlist_open(prefix, id, case[2], case[3])
    elseif from == 'resolved' then
      redis.call('ZREM', prefix .. 'cases:since:resolved', id)
    end
    if to == 'open' then
      list_open(prefix, id, case[2], case[3], case[4], case[5])
    end
  end
  if to == 'resolved' then
    redis.call('ZADD', prefix .. 'cases:since:resolved', at, id)
  end
end

-- A case that is withheld for an audit is free once nobody has to be kept from it.
local function free_case(prefix, id)
  if redis.call('HGET', prefix .. 'case:' .. id, 'status') == 'withheld' then
    move_case(prefix, id, 'open')
  end
end
