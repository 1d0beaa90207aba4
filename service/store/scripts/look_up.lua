-- What is known about a batch: which of its identities, the releases of its apps, the sampling
-- factors, and how many jobs wait for the judge. Read-only.
-- KEYS[1] sampling factors · KEYS[2] judge jobs
-- ARGV[1] prefix · ARGV[2] JSON: [time slot, bucket, identity] … · then the apps
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
local releases = {}
for i = 3, #ARGV do
  releases[i - 2] = redis.call('ZRANGE', ARGV[1] .. 'releases:' .. ARGV[i], 0, -1, 'WITHSCORES')
end
return {known, releases, redis.call('HGET', KEYS[1], 'body'), redis.call('XLEN', KEYS[2])}
