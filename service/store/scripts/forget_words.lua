-- Changes lose their words, in the history of their subject and where they are not produced yet.
-- KEYS[1] history · KEYS[2] outbox · ARGV each record and what takes its place · Returns how many.
local becomes, found = {}, 0
for i = 1, #ARGV, 2 do
  becomes[ARGV[i]] = ARGV[i + 1]
end
for n, key in ipairs(KEYS) do
  for i, record in ipairs(redis.call('LRANGE', key, 0, -1)) do
    if becomes[record] then
      redis.call('LSET', key, i - 1, becomes[record])
      found = found + (n == 1 and 1 or 0)
    end
  end
end
return found
