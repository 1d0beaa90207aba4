-- Which of these identities are known? Read-only.
-- KEYS[1] meta (routes to the slot) · ARGV[1] prefix · then triples: time slot, bucket, identity
-- The slots before and after count too: partitions run at different speeds.
local prefix = ARGV[1]
local known = {}
for i = 2, #ARGV, 3 do
  local slot = tonumber(ARGV[i])
  for s = slot - 1, slot + 1 do
    local key = prefix .. 'ids:' .. string.format('%d', s) .. ':' .. ARGV[i + 1]
    if redis.call('SISMEMBER', key, ARGV[i + 2]) == 1 then
      known[#known + 1] = ARGV[i + 2]
      break
    end
  end
end
return known
