-- One app's counters of one hour, added to those of its day.
-- KEYS[1] the hour's counters · KEYS[2] the day's · KEYS[3] hours · KEYS[4] days
-- ARGV[1] member of hours · ARGV[2] member of days · ARGV[3] day
local fields = redis.call('HGETALL', KEYS[1])
for i = 1, #fields, 2 do
  redis.call('HINCRBY', KEYS[2], fields[i], fields[i + 1])
end
redis.call('DEL', KEYS[1])
redis.call('ZREM', KEYS[3], ARGV[1])
redis.call('ZADD', KEYS[4], ARGV[3], ARGV[2])
return #fields / 2
