-- How a list goes on where its last page ended.

-- The rank to go on from: that after the last one looked at, also when that has gone or moved.
-- spec.after and spec.score: that one, with the score it had then; after is '' for the first page.
local function first_rank(list, spec)
  if spec.after == '' then
    return 0
  end
  local score = redis.call('ZSCORE', list, spec.after)
  if score and tonumber(score) == tonumber(spec.score) then
    return redis.call('ZREVRANK', list, spec.after) + 1
  end
  local rank = redis.call('ZCOUNT', list, '(' .. spec.score, '+inf')
  for _, id in ipairs(redis.call('ZREVRANGEBYSCORE', list, spec.score, spec.score)) do
    if id < spec.after then
      break
    end
    rank = rank + 1
  end
  return rank
end

