-- with casebook
-- Forget groups that were not seen for longest, where nothing is open and no decision holds.
-- KEYS[1] groups by last seen · ARGV[1] prefix · [2] first rank · [3] how many to look at
local gone = 0
for _, id in ipairs(redis.call('ZRANGE', KEYS[1], ARGV[2], ARGV[2] + ARGV[3] - 1)) do
  local key = ARGV[1] .. 'g:' .. id
  local fields = redis.call('HMGET', key, 'decision', 'reopened', 'app', 'check', 'reason')
  local decided = fields[1] and not fields[2]
  if not decided and redis.call('EXISTS', ARGV[1] .. 'cases:group:' .. id) == 0 then
    redis.call('DEL', key)
    redis.call('ZREM', KEYS[1], id)
    local kind = kind_of(fields[3], fields[4], fields[5])
    redis.call('ZREM', KEYS[1] .. ':' .. kind, id)
    if redis.call('EXISTS', KEYS[1] .. ':' .. kind) == 0 then
      redis.call('SREM', ARGV[1] .. 'kinds', kind)
    end
    gone = gone + 1
  end
end
return gone
