-- Audit tasks that nobody labelled in time are missing, and free the cases of the same answers.
-- KEYS[1] open tasks · ARGV[1] prefix · ARGV[2] now, ms · ARGV[3] how many at most
local prefix = ARGV[1]
local due = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', ARGV[2], 'LIMIT', 0, ARGV[3])
for _, id in ipairs(due) do
  redis.call('ZREM', KEYS[1], id)
  redis.call('ZADD', prefix .. 'tasks:expired', ARGV[2], id)
  redis.call('HSET', prefix .. 'task:' .. id, 'status', 'expired')
  local key = prefix .. 'case:' .. id
  local case = redis.call('HMGET', key, 'status', 'severity', 'priority')
  if case[1] == 'withheld' then
    redis.call('HSET', key, 'status', 'open')
    redis.call('ZREM', prefix .. 'cases:status:withheld', id)
    redis.call('ZADD', prefix .. 'cases:status:open', case[3], id)
    redis.call('ZADD', prefix .. 'cases:open:' .. case[2], case[3], id)
  end
end
return #due
