-- with leasing
-- Keep one's lease for longer, or give it back (ttl 0).
-- KEYS[1] lease · ARGV[1] prefix · [2] subject · [3] token · [4] ttl · [5] until · [6] reviewer
-- Returns 1, or 0 when it is no longer the holder's.
local lease = redis.call('HMGET', KEYS[1], 'token', 'reviewer')
if lease[1] ~= ARGV[3] or lease[2] ~= ARGV[6] then
  return 0
end
if ARGV[4] == '0' then
  drop_lease(ARGV[1], ARGV[2])
else
  redis.call('HSET', KEYS[1], 'until', ARGV[5])
  redis.call('PEXPIRE', KEYS[1], ARGV[4])
end
return 1
