-- New factors, from the last holder of the lease only, and only over those that it has read.
-- KEYS[1] factors · KEYS[2] fences · ARGV[1] lease · ARGV[2] fence · ARGV[3] version that was read
-- ARGV[4] new version · ARGV[5] body · ARGV[6] reserve of tokens · ARGV[7] of money
if redis.call('HGET', KEYS[2], ARGV[1]) ~= ARGV[2] then
  return 0
end
if (redis.call('HGET', KEYS[1], 'version') or '0') ~= ARGV[3] then
  return 0
end
redis.call('HSET', KEYS[1], 'version', ARGV[4], 'body', ARGV[5], 'reserve_tokens', ARGV[6],
  'reserve_money', ARGV[7])
return 1
