-- with flagging
-- One batch's effects, all or nothing: everything is validated before the first write.
-- KEYS[1] checkpoint · KEYS[2] outbox · KEYS[3] meta · KEYS[4] judge jobs
-- ARGV[1] the batch as JSON (see effects_spec) · ARGV[2] its record for rag.verdicts, still open
-- (this script closes it with what it suppressed and refused) · then one deflated record a case,
-- a task and a job
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
  local key, first = prefix .. 'releases:' .. release[1], prefix .. 'first:' .. release[1]
  redis.call('ZADD', key, 'GT', release[3], release[2])
  redis.call('ZADD', first, 'LT', release[3], release[2])
  if redis.call('ZREMRANGEBYRANK', key, 0, -(spec.releases_per_app + 1)) > 0 then
    for _, known in ipairs(redis.call('ZRANGE', first, 0, -1)) do
      if not redis.call('ZSCORE', key, known) then
        redis.call('ZREM', first, known)
      end
    end
  end
end
-- A makeup has the hour in which it was first told; of too many, those told first go.
for _, made in ipairs(spec.makeups) do
  local key = prefix .. 'makeups:' .. made[1]
  redis.call('ZADD', key, 'LT', made[3], made[2])
  redis.call('ZREMRANGEBYRANK', key, 0, -(spec.makeups_per_app + 1))
end

-- Of questions that retrieval did not serve, the newest are kept.
for _, question in ipairs(spec.questions) do
  redis.call('ZADD', prefix .. 'questions', question[1], question[2])
end
if #spec.questions > 0 then
  redis.call('ZREMRANGEBYRANK', prefix .. 'questions', 0, -(spec.max_questions + 1))
end

-- Audits come first: a case of the same answer is withheld while its task is open.
local outbox = {}
for i, task in ipairs(spec.tasks) do
  local key = prefix .. 'task:' .. task.id
  if redis.call('EXISTS', key) == 0 then
    local record = ARGV[2 + #spec.cases + i]
    redis.call('HSET', key, 'record', record, 'status', 'open', 'due', task.due_ms,
      'app', task.app)
    redis.call('ZADD', prefix .. 'tasks:open', task.due_ms, task.id)
    redis.call('HINCRBY', totals, 'tasks', 1)
    outbox[#outbox + 1] = record
  end
end

local state = flagging(spec)
count_groups(state)
local suppressed, grouped, kept = {}, {}, 0
for i, case in ipairs(spec.cases) do
  local became = keep_case(state, case, ARGV[2 + i])
  if became == 'opened' then
    kept = kept + 1
    outbox[#outbox + 1] = ARGV[2 + i]
  elseif became == 'grouped' then
    grouped[#grouped + 1] = case.offset
  else
    suppressed[#suppressed + 1] = case.offset
  end
end
redis.call('HINCRBY', totals, 'cases', kept)
redis.call('HINCRBY', totals, 'suppressed', #suppressed)
redis.call('HINCRBY', totals, 'auto_grouped', #grouped)
-- The judge may yet find something else in one of these.
local is_grouped = {}
for _, offset in ipairs(grouped) do
  is_grouped[offset] = true
end
for _, job in ipairs(spec.jobs) do
  if is_grouped[job.offset] then
    local key = prefix .. 'grouped:' .. job.day
    redis.call('SADD', key, job.row_key)
    redis.call('EXPIRE', key, spec.row_ttl_s)
  end
end

-- A full backlog refuses jobs, but never those of audited answers: without a judgement beside each
-- label nothing could be corrected.
local refused = {}
local backlog = #spec.jobs > 0 and redis.call('XLEN', KEYS[4]) or 0
for i, job in ipairs(spec.jobs) do
  local refuse = not job.audited and (not spec.payloads or backlog >= spec.max_backlog)
  if job.refused ~= nil and job.refused ~= cjson.null then
    refuse = job.refused
  end
  if refuse then
    refused[#refused + 1] = job.offset
    redis.call('HINCRBY', totals, 'judge:selected', -1)
    redis.call('HINCRBY', totals, 'judge:budget_skipped', 1)
    redis.call('HINCRBY', totals, 'judge:budget_skipped:backlog', 1)
    local key = prefix .. 'n:' .. job.counter
    redis.call('HINCRBY', key, job.field .. 'judge:selected:' .. job.stratum, -1)
    redis.call('HINCRBY', key, job.field .. 'judge:budget_skipped:' .. job.stratum, 1)
  elseif not spec.repeated then
    backlog = backlog + 1
    redis.call('XADD', KEYS[4], '*', 'id', job.id, 'job', ARGV[2 + #spec.cases + #spec.tasks + i])
  end
end

-- Where feedback finds its answer, and what was decided about it.
if spec.feedback ~= nil and spec.feedback ~= cjson.null then
  local index, refusals = spec.feedback, {}
  for _, offset in ipairs(refused) do
    refusals[offset] = true
  end
  for _, place in ipairs(index.places) do
    local key = prefix .. 'feedback:' .. place[1]
    redis.call('HSET', key, place[2], place[3])
    redis.call('EXPIRE', key, index.ttl_s)
  end
  for _, answer in ipairs(index.entries) do
    local key, entry = prefix .. 'feedback:' .. answer[1], answer[3]
    if #refused > 0 and refusals[string.match(entry, '^%d+:(%d+):')] then
      entry = string.sub(entry, 1, -3) .. 'r' .. string.sub(entry, -1)
    end
    redis.call('HSET', key, answer[2], entry)
    redis.call('EXPIRE', key, index.ttl_s)
  end
end

if spec.outbox then
  local record = ARGV[2] .. ',"suppressed":[' .. table.concat(suppressed, ',')
    .. '],"grouped":[' .. table.concat(grouped, ',')
    .. '],"refused":[' .. table.concat(refused, ',') .. ']}'
  redis.call('RPUSH', KEYS[2], spec.batch_id, record)
  for _, payload in ipairs(outbox) do
    redis.call('RPUSH', KEYS[2], payload)
  end
end
return {'ok', kept, #suppressed, #spec.jobs - #refused, #refused, #grouped}
