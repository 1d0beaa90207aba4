-- First start of a source: every partition gets its checkpoint at once, or none.
-- KEYS[1] source · KEYS[2] checkpoint set · ARGV[1] prefix · ARGV[2] source · ARGV[3] topic id
-- ARGV[4..] pairs: partition, first offset
if redis.call('EXISTS', KEYS[1]) == 1 then
  return 0
end
redis.call('HSET', KEYS[1], 'topic_id', ARGV[3], 'partitions', (#ARGV - 3) / 2)
for i = 4, #ARGV, 2 do
  local name = ARGV[2] .. '/' .. ARGV[i]
  redis.call('HSET', ARGV[1] .. 'cp:' .. name, 'next', ARGV[i + 1], 'first', ARGV[i + 1],
    'segment', '0', 'topic_id', ARGV[3], 'announce', '1')
  redis.call('SADD', KEYS[2], name)
end
return 1
