-- Take a lease, or keep one's own: as SET NX PX, with a number that grows at every new holder.
-- KEYS[1] lease · KEYS[2] fences · ARGV[1] token of the holder · ARGV[2] milliseconds · ARGV[3] name
-- Returns the fence, or 0 while somebody else holds the lease.
local holder = redis.call('HGET', KEYS[1], 'token')
if holder and holder ~= ARGV[1] then
  return 0
end
local fence = redis.call('HGET', KEYS[1], 'fence')
if not holder then
  fence = redis.call('HINCRBY', KEYS[2], ARGV[3], 1)
  redis.call('HSET', KEYS[1], 'token', ARGV[1], 'fence', fence)
end
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return tonumber(fence)
