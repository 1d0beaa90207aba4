-- Forget exactly this batch's records, once they are acknowledged.
-- KEYS[1] outbox · ARGV[1] batch id
if redis.call('LINDEX', KEYS[1], 0) == ARGV[1] then
  redis.call('DEL', KEYS[1])
  return 1
end
return 0
