-- with ending
-- The case and the audit task of one answer end as erased.
-- KEYS[1] case · ARGV[1] prefix · [2] case id · Returns how many cases and tasks.
local case = end_case(ARGV[1], ARGV[2], 'erased') and 1 or 0
local task = end_task(ARGV[1], ARGV[2], 'erased') and 1 or 0
return {case, task}
