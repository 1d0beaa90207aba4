-- Forget the records of a shared outbox that are produced, if they are still its first ones.
-- KEYS[1] outbox · ARGV the records, in their order
local there = redis.call('LRANGE', KEYS[1], 0, #ARGV - 1)
for i, record in ipairs(ARGV) do
  if there[i] ~= record then
    return 0
  end
end
redis.call('LTRIM', KEYS[1], #ARGV, -1)
return 1
