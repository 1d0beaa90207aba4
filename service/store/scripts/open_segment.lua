-- Close a partition's account and open a new one at another offset (a reset, or a new partition).
-- KEYS[1] checkpoint · KEYS[2] segments · KEYS[3] checkpoint set
-- ARGV[1] name S/P · ARGV[2] next · ARGV[3] topic id · ARGV[4] segment or '' for the following one · ARGV[5] reset flag
local old = redis.call('HGETALL', KEYS[1])
local segment = 0
if #old > 0 then
  local account = {name = ARGV[1]}
  for i = 1, #old, 2 do
    account[old[i]] = old[i + 1]
  end
  redis.call('RPUSH', KEYS[2], cjson.encode(account))
  segment = tonumber(account.segment) + 1
end
if ARGV[4] ~= '' then
  segment = tonumber(ARGV[4])
end
redis.call('DEL', KEYS[1])
redis.call('HSET', KEYS[1], 'next', ARGV[2], 'first', ARGV[2], 'segment', string.format('%d', segment),
  'topic_id', ARGV[3], 'announce', '1')
if ARGV[5] ~= '' then
  redis.call('HSET', KEYS[1], 'reset', ARGV[5])
end
redis.call('SADD', KEYS[3], ARGV[1])
return segment
