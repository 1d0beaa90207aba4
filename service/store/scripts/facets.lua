-- The values that occur among cases that may be seen, by dimension.
-- KEYS[1] withheld cases · ARGV[1] prefix · [2] JSON list: the apps that may be seen · [3] 1 when all
-- of them may · [4..] dimensions · Returns a list of values for each.
local prefix, apps, everything = ARGV[1], cjson.decode(ARGV[2]), ARGV[3] == '1'
local withheld = redis.call('ZRANGE', KEYS[1], 0, -1)
local FAR = 200

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

-- Whether it holds such a case of this app: looked for among the first ones of the rarer of both.
local function shows_of(app, key)
  local walk, other = prefix .. 'cases:app:' .. app, key
  if redis.call('ZCARD', key) < redis.call('ZCARD', walk) then
    walk, other = key, walk
  end
  for _, id in ipairs(redis.call('ZREVRANGE', walk, 0, FAR - 1)) do
    if redis.call('ZSCORE', other, id) and not redis.call('ZSCORE', KEYS[1], id) then
      return true
    end
  end
  return false
end

local function shows_granted(key)
  for _, app in ipairs(apps) do
    if shows_of(app, key) then
      return true
    end
  end
  return false
end

-- Most releases are of other apps: those of these apps are known.
local function candidates(dimension)
  if everything or dimension ~= 'release' then
    return redis.call('SMEMBERS', prefix .. 'facet:' .. dimension)
  end
  local releases, seen = {}, {}
  for _, app in ipairs(apps) do
    for _, release in ipairs(redis.call('ZRANGE', prefix .. 'releases:' .. app, 0, -1)) do
      if not seen[release] then
        seen[release], releases[#releases + 1] = true, release
      end
    end
  end
  return releases
end

local found = {}
for i = 4, #ARGV do
  local values = {}
  for _, value in ipairs(candidates(ARGV[i])) do
    local key = prefix .. 'cases:' .. ARGV[i] .. ':' .. value
    if everything and shows(key) or not everything and shows_granted(key) then
      values[#values + 1] = value
    end
  end
  found[#found + 1] = values
end
return found
