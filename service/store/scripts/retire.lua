-- with ending
-- End what was settled long ago, a few at a time; open cases and tasks are never among them.
-- KEYS[1] settled ones, by when · ARGV[1] prefix · [2] case or task · [3] until when, ms · [4] how many
local ids = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', ARGV[3], 'LIMIT', 0, ARGV[4])
for _, id in ipairs(ids) do
  if ARGV[2] == 'case' then
    end_case(ARGV[1], id, 'expired')
  else
    end_task(ARGV[1], id)
  end
end
return #ids
