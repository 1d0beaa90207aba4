-- with casebook
-- Audit tasks that nobody labelled in time are missing; those that one of two labelled are done. Both
-- free the cases of the same answers.
-- KEYS[1] open tasks · ARGV[1] prefix · ARGV[2] now, ms · ARGV[3] how many at most
local prefix = ARGV[1]
local due = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', ARGV[2], 'LIMIT', 0, ARGV[3])
for _, id in ipairs(due) do
  local key, to = prefix .. 'task:' .. id, 'expired'
  local fields = redis.call('HGETALL', key)
  for i = 1, #fields, 2 do
    if string.sub(fields[i], 1, 3) == 'by:' and fields[i + 1] == 'labelled' then
      to = 'done'
    end
  end
  redis.call('ZREM', KEYS[1], id)
  redis.call('ZADD', prefix .. 'tasks:' .. to, ARGV[2], id)
  redis.call('HSET', key, 'status', to)
  free_case(prefix, id)
end
return #due
