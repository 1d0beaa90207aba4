-- Which of these identities are known? Read-only.
-- KEYS[1] meta (routes to the slot) · ARGV[1] prefix · ARGV[2] JSON: [time slot, bucket, identity] …
-- The slots before and after count too: partitions run at different speeds.
local known = {}
local slots = setmetatable({}, {__index = function(made, s)
  made[s] = ARGV[1] .. 'ids:' .. string.format('%d', s) .. ':'
  return made[s]
end})
for _, id in ipairs(cjson.decode(ARGV[2])) do
  for s = id[1] - 1, id[1] + 1 do
    if redis.call('SISMEMBER', slots[s] .. id[2], id[3]) == 1 then
      known[#known + 1] = id[3]
      break
    end
  end
end
return known
