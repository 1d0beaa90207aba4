-- with leasing
-- How many open cases somebody holds · KEYS[1] open cases · ARGV[1] prefix
local number = 0
for subject in pairs(live_claims(ARGV[1])) do
  local id = string.match(subject, '^case:(.+)$')
  if id and redis.call('ZSCORE', KEYS[1], id) then
    number = number + 1
  end
end
return number
