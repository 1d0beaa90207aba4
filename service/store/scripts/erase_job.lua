-- A judge job ends as erased, unless its judgement was faster.
-- KEYS[1] jobs · KEYS[2] totals · ARGV[1] group · [2] entry · Returns 1, or 0.
if redis.call('XDEL', KEYS[1], ARGV[2]) == 0 then
  return 0
end
redis.call('XACK', KEYS[1], ARGV[1], ARGV[2])
redis.call('HINCRBY', KEYS[2], 'judge:erased', 1)
return 1
