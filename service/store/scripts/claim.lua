-- with leasing
-- Take the lease of one case, task or group.
-- KEYS[1] its lease · ARGV[1] prefix · [2] subject · [3] reviewer · [4] token · [5] ttl · [6] until
if not may_take(ARGV[1], ARGV[2], ARGV[3]) then
  return {'unknown'}
end
return take_lease(ARGV[1], ARGV[2],
  {reviewer = ARGV[3], token = ARGV[4], ttl = ARGV[5], ['until'] = ARGV[6]})
