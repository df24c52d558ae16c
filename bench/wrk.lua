-- For wrk: sends the requests of a file, one after the other; when the file ends, it starts again from the beginning.
-- Arguments: the files, one for each thread. Each request is preceded by its length, eight digits.
-- At the end it prints one JSON line.

local threads = {}

function setup(thread)
  table.insert(threads, thread)
  thread:set("place", #threads)
end

function init(args)
  file = assert(io.open(args[place], "rb"))
  rounds = 0
end

function request()
  local length = file:read(8)
  if length == nil then
    rounds = rounds + 1
    file:seek("set", 0)
    length = file:read(8)
  end
  return file:read(tonumber(length))
end

function done(summary, latency)
  local rounds = 0
  for _, thread in ipairs(threads) do rounds = math.max(rounds, thread:get("rounds")) end
  local errors = summary.errors
  io.write(string.format(
    '{"requests":%d,"seconds":%.3f,"p50Ms":%.2f,"p99Ms":%.2f,"refused":%d,"broken":%d,"rounds":%d}\n',
    summary.requests, summary.duration / 1e6, latency:percentile(50) / 1000, latency:percentile(99) / 1000,
    errors.status, errors.connect + errors.read + errors.write + errors.timeout, rounds))
end
