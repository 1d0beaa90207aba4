-- The values that occur among cases that may be seen, by dimension.
-- KEYS[1] withheld cases · ARGV[1] prefix · [2..] dimensions · Returns a list of values for each.
local withheld = redis.call('ZRANGE', KEYS[1], 0, -1)

-- Whether an index holds a case that is not withheld.
local function shows(key)
  local size = redis.call('ZCARD', key)
  if size > #withheld then
    return true
  end
  for _, id in ipairs(withheld) do
    if redis.call('ZSCORE', key, id) then
      size = size - 1
    end
  end
  return size > 0
end

local found = {}
for i = 2, #ARGV do
  local values = {}
  for _, value in ipairs(redis.call('SMEMBERS', ARGV[1] .. 'facet:' .. ARGV[i])) do
    if shows(ARGV[1] .. 'cases:' .. ARGV[i] .. ':' .. value) then
      values[#values + 1] = value
    end
  end
  found[#found + 1] = values
end
return found
