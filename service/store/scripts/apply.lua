-- One batch's effects, all or nothing: everything is validated before the first write.
-- KEYS[1] checkpoint · KEYS[2] outbox · KEYS[3] meta
-- ARGV[1] the batch as JSON (see effects_spec) · ARGV[2] its record for rag.verdicts, still open
-- (this script closes it with what it suppressed) · ARGV[3..] one deflated record a case
local spec = cjson.decode(ARGV[1])
local prefix = spec.prefix

if redis.call('HGET', KEYS[3], 'epoch') ~= spec.epoch then
  return {'fenced'}
end
local pending = redis.call('LINDEX', KEYS[2], 0)
local place = redis.call('HMGET', KEYS[1], 'next', 'segment', 'topic_id')
if place[1] ~= spec.first or place[2] ~= spec.segment or place[3] ~= spec.topic_id then
  return {'moved', place[1] or '', pending or ''}
end
if pending then
  return {'pending', pending}
end
-- A repeated batch brings what was decided then: that an id was new is not asked again.
local slots = setmetatable({}, {__index = function(made, s)
  made[s] = prefix .. 'ids:' .. string.format('%d', s) .. ':'
  return made[s]
end})
local conflicts = {'duplicates'}
for _, id in ipairs(spec.repeated and {} or spec.ids) do
  for s = id[1] - 1, id[1] + 1 do
    if redis.call('SISMEMBER', slots[s] .. id[2], id[3]) == 1 then
      conflicts[#conflicts + 1] = id[3]
      break
    end
  end
end
if #conflicts > 1 then
  return conflicts
end

redis.call('HSET', KEYS[1], 'next', spec.next)
redis.call('HDEL', KEYS[1], 'announce')
for field, n in pairs(spec.partition_counts) do
  redis.call('HINCRBY', KEYS[1], field, n)
end
for _, id in ipairs(spec.ids) do
  local key = slots[id[1]] .. id[2]
  redis.call('SADD', key, id[3])
  redis.call('EXPIRE', key, spec.id_ttl_s)
end
local totals = prefix .. 'totals'
for field, n in pairs(spec.totals) do
  redis.call('HINCRBY', totals, field, n)
end
for _, counter in ipairs(spec.counters) do
  local key = prefix .. 'n:' .. counter.name
  for field, n in pairs(counter.fields) do
    redis.call('HINCRBY', key, field, n)
  end
  redis.call('ZADD', prefix .. 'hours', counter.hour, counter.name)
end
for _, release in ipairs(spec.releases) do
  local key = prefix .. 'releases:' .. release[1]
  redis.call('ZADD', key, 'GT', release[3], release[2])
  redis.call('ZREMRANGEBYRANK', key, 0, -(spec.releases_per_app + 1))
end

-- Groups count every member, whether or not a case is kept for it. Nothing in a group depends on
-- the order of the batches: it shows the surface and severity of its earliest member (of equally
-- early ones the first by name) and the kept case with the smallest id.
local groups = prefix .. 'groups'
local group_count = redis.call('ZCARD', groups)
local overflow = {}
for _, hit in ipairs(spec.groups) do
  local key = prefix .. 'g:' .. hit.id
  local known = redis.call('HMGET', key, 'first_seen', 'surface', 'severity')
  if not known[1] and group_count >= spec.max_groups then
    overflow[hit.id] = prefix .. 'g:overflow:' .. hit.app .. ':' .. hit.check
    redis.call('HINCRBY', totals, 'group_overflow', 1)
  else
    if not known[1] then
      group_count = group_count + 1
      redis.call('HSET', key, 'app', hit.app, 'check', hit.check, 'reason', hit.reason,
        'cause', hit.cause)
    end
    local age = known[1] and tonumber(known[1]) - tonumber(hit.ms) or 1
    if age > 0 or (age == 0 and (hit.surface < known[2]
        or (hit.surface == known[2] and hit.severity < known[3]))) then
      redis.call('HSET', key, 'first_seen', hit.ms, 'surface', hit.surface, 'severity', hit.severity)
    end
    redis.call('HINCRBY', key, 'count', 1)
    if redis.call('HINCRBY', key, 'd:' .. hit.day, 1) == 1 then
      -- The day's first member: the trend keeps 60 days, the room for cases two.
      local day = tonumber(hit.day)
      redis.call('HDEL', key, 'd:' .. string.format('%d', day - 60), 'p:' .. string.format('%d', day - 2))
    end
    redis.call('ZADD', groups, 'GT', hit.ms, hit.id)
  end
end

-- A case is kept while one of its groups has room that day and memory allows; else it is suppressed.
local suppressed, outbox, kept = {}, {}, 0
local open_index = prefix .. 'cases:status:open'
local open_count = redis.call('ZCARD', open_index)
for i, case in ipairs(spec.cases) do
  local key = prefix .. 'case:' .. case.id
  local room = false
  for _, id in ipairs(case.groups) do
    local group = overflow[id] or (prefix .. 'g:' .. id)
    if tonumber(redis.call('HGET', group, 'p:' .. case.day) or '0') < spec.cases_per_group_day then
      room = true
    end
  end
  local keep = room and spec.payloads and open_count < spec.max_cases
  if case.decided ~= nil and case.decided ~= cjson.null then
    keep = case.decided
  end
  if redis.call('EXISTS', key) == 1 then
    keep = false
  end
  if keep then
    kept = kept + 1
    open_count = open_count + 1
    for _, id in ipairs(case.groups) do
      local group = overflow[id] or (prefix .. 'g:' .. id)
      redis.call('HINCRBY', group, 'p:' .. case.day, 1)
      local sample = redis.call('HGET', group, 'sample')
      if not sample or case.id < sample then
        redis.call('HSET', group, 'sample', case.id)
      end
    end
    redis.call('HSET', key, 'record', ARGV[2 + i], 'status', 'open', 'group', case.groups[1])
    redis.call('ZADD', open_index, case.priority, case.id)
    for _, index in ipairs(case.indexes) do
      redis.call('ZADD', prefix .. 'cases:' .. index[1] .. ':' .. index[2], case.priority, case.id)
      redis.call('SADD', prefix .. 'facet:' .. index[1], index[2])
    end
    outbox[#outbox + 1] = ARGV[2 + i]
  else
    suppressed[#suppressed + 1] = case.offset
  end
end
redis.call('HINCRBY', totals, 'cases', kept)
redis.call('HINCRBY', totals, 'suppressed', #suppressed)

if spec.outbox then
  local record = ARGV[2] .. ',"suppressed":[' .. table.concat(suppressed, ',') .. ']}'
  redis.call('RPUSH', KEYS[2], spec.batch_id, record)
  for _, case_record in ipairs(outbox) do
    redis.call('RPUSH', KEYS[2], case_record)
  end
end
return {'ok', kept, #suppressed}
