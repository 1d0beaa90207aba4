-- with leasing
-- What a subject's state is once its history says so.

local function is_there(spec)
  local key = (spec.kind == 'group' and 'g:' or spec.kind .. ':') .. spec.id
  local status = spec.kind == 'group' and redis.call('EXISTS', spec.prefix .. key) == 1
    or redis.call('HGET', spec.prefix .. key, 'status')
  return status and status ~= 'withheld'
end

-- Fields of one name for each reviewer, as they are now and no others.
local function mark_reviewers(key, name, marks)
  for _, field in ipairs(redis.call('HKEYS', key)) do
    if string.sub(field, 1, #name) == name then
      redis.call('HDEL', key, field)
    end
  end
  for reviewer, mark in pairs(marks) do
    redis.call('HSET', key, name .. reviewer, mark)
  end
end

local stand = {}

function stand.case(spec)
  local key = spec.prefix .. 'case:' .. spec.id
  local status = redis.call('HGET', key, 'status')
  if not status then
    return
  end
  mark_reviewers(key, 'skip:', spec.marks)
  if spec.settled then
    move_case(spec.prefix, spec.id, 'resolved', spec.at)
  else
    local audited = redis.call('HGET', spec.prefix .. 'task:' .. spec.id, 'status') == 'open'
    move_case(spec.prefix, spec.id, audited and 'withheld' or 'open')
  end
end

function stand.task(spec)
  local prefix, key = spec.prefix, spec.prefix .. 'task:' .. spec.id
  local status = redis.call('HGET', key, 'status')
  if not status then
    return
  end
  mark_reviewers(key, 'by:', spec.marks)
  if spec.disagree then
    redis.call('ZADD', prefix .. 'disagreements', spec.at, spec.id)
  else
    redis.call('ZREM', prefix .. 'disagreements', spec.id)
  end
  local to = status
  if spec.settled then
    to = 'done'
  elseif status == 'done' then
    to = 'open'
  end
  if to ~= status then
    redis.call('HSET', key, 'status', to)
    redis.call('ZREM', prefix .. 'tasks:' .. status, spec.id)
    if to == 'done' then
      redis.call('ZADD', prefix .. 'tasks:done', spec.at, spec.id)
      free_case(prefix, spec.id)
    else
      redis.call('ZADD', prefix .. 'tasks:open', redis.call('HGET', key, 'due'), spec.id)
      if redis.call('HGET', prefix .. 'case:' .. spec.id, 'status') == 'open' then
        move_case(prefix, spec.id, 'withheld')
        drop_lease(prefix, 'case:' .. spec.id)
      end
    end
  end
end

function stand.group(spec)
  local key = spec.prefix .. 'g:' .. spec.id
  if redis.call('EXISTS', key) == 0 then
    return
  end
  redis.call('HDEL', key, 'decision', 'reopened')
  if spec.decision == '' then
    return
  end
  redis.call('HSET', key, 'decision', spec.decision)
  local decided = cjson.decode(spec.decision)
  local fields = redis.call('HGETALL', key)
  for i = 1, #fields, 2 do
    local day = string.match(fields[i], '^d:(%d+)$')
    if day and tonumber(day) >= decided.day and tonumber(fields[i + 1]) > decided.threshold then
      redis.call('HSET', key, 'reopened', '1')
    end
  end
end
