-- Put what a call really took in the place of its estimate, once.
-- KEYS[1] the day's budget · KEYS[2] its open reservations
-- ARGV[1] reservation · ARGV[2] tokens · ARGV[3] money (millionths)
-- Returns 1, or 0 when the reservation was settled before.
local held = redis.call('HGET', KEYS[2], ARGV[1])
if not held then
  return 0
end
redis.call('HDEL', KEYS[2], ARGV[1])
local tokens, money, audited = string.match(held, '^(%d+) (%d+) (%d)$')
for _, kind in ipairs({{'tokens', tokens, ARGV[2]}, {'money', money, ARGV[3]}}) do
  local more = string.format('%.0f', tonumber(kind[3]) - tonumber(kind[2]))
  redis.call('HINCRBY', KEYS[1], kind[1], more)
  if audited == '1' then
    redis.call('HINCRBY', KEYS[1], 'audit_' .. kind[1], more)
  end
  redis.call('HINCRBY', KEYS[1], 'settled_' .. kind[1], kind[3])
end
redis.call('HINCRBY', KEYS[1], 'settled_calls', 1)
return 1
