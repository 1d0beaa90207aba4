-- Keep one's lease for longer (ARGV[2] milliseconds), or give it back (ARGV[2] is 0).
-- KEYS[1] lease · ARGV[1] token of the holder · Returns 1, or 0 when it is no longer the holder's.
if redis.call('HGET', KEYS[1], 'token') ~= ARGV[1] then
  return 0
end
if ARGV[2] == '0' then
  redis.call('DEL', KEYS[1])
else
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
end
return 1
