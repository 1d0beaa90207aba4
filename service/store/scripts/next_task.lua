-- with leasing
-- Claim the open audit task that is due first and that this reviewer said nothing of yet.
-- KEYS[1] open tasks · ARGV[1] prefix · [2] JSON: want (reviewer, token, ttl, until), start, steps,
-- apps (app → true; absent for all; a task that an earlier version made names no app)
-- Returns 'ok', id, token, fence · 'more' · or 'none'.
local prefix, spec = ARGV[1], cjson.decode(ARGV[2])
local want = spec.want
local live = live_claims(prefix)
local ids = redis.call('ZRANGE', KEYS[1], spec.start, spec.start + spec.steps - 1)
for _, id in ipairs(ids) do
  local holder = live['task:' .. id]
  local app = spec.apps and redis.call('HGET', prefix .. 'task:' .. id, 'app')
  if (not spec.apps or app and spec.apps[app])
      and (not holder or holder == want.reviewer)
      and not redis.call('HGET', prefix .. 'task:' .. id, 'by:' .. want.reviewer) then
    local lease = take_lease(prefix, 'task:' .. id, want)
    return {'ok', id, lease[2], lease[3]}
  end
end
return {#ids == spec.steps and 'more' or 'none'}
