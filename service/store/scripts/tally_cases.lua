-- Counts cases of one app: a part of them, so that nobody waits. Nothing is written.
-- KEYS[1] the app's cases · ARGV[1] prefix · [2] rank to begin at · [3] how many · [4] since (ms)
-- Returns how many were looked at; open, claimed, withheld, resolved; open ones of high, medium and low
-- severity, and of answers given since; when the oldest open one's answer was given ('' without one).
local prefix, start, steps, since = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local count = {open = 0, claimed = 0, withheld = 0, resolved = 0, high = 0, medium = 0, low = 0}
local given, oldest = 0, nil
local ids = redis.call('ZRANGE', KEYS[1], start, start + steps - 1)
for _, id in ipairs(ids) do
  local case = redis.call('HMGET', prefix .. 'case:' .. id, 'status', 'severity', 'occurred')
  local status = case[1]
  if count[status] then
    count[status] = count[status] + 1
  end
  if status == 'open' then
    count[case[2]] = count[case[2]] + 1
    if redis.call('EXISTS', prefix .. 'lease:case:' .. id) == 1 then
      count.claimed = count.claimed + 1
    end
    local occurred = tonumber(case[3])
    if occurred >= since then
      given = given + 1
    end
    if not oldest or occurred < oldest then
      oldest = occurred
    end
  end
end
return {#ids, count.open, count.claimed, count.withheld, count.resolved, count.high, count.medium,
  count.low, given, oldest and string.format('%.0f', oldest) or ''}
