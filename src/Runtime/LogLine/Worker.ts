/**
 * The lines about the worker itself: its life, its reasons, and the service that it copies.
 */
import { counted, line, maybe, number, text, truth, word } from "./Line.ts"

const seconds = number("how long it took")
const levelOf = { critical: "Error", degraded: "Warn", notice: "Info" } as const
const reason = text("its key, as in `/status`")
const reason_level = word<keyof typeof levelOf>("notice, degraded or critical")
const resource = text("what the list holds, like `projects`")

export const life = {
  "worker.starting": line(
    "Info",
    "`siteledger start` begins.",
    {
      version: text("of this program"),
      host: text("the name of the machine"),
      pid: number("its process id"),
      node: text("the version of Node"),
      engine: text("duckdb or postgres"),
      data_dir: text("the data directory")
    },
    ({ data_dir, engine, node, version }) =>
      `siteledger ${version} starts in ${data_dir}, with ${engine}, on Node ${node}.`
  ),
  "worker.started": line(
    "Info",
    "All pipelines run, after a start or a restart of the pipelines.",
    {
      version: text("of this program"),
      engine: text("duckdb or postgres"),
      service: text("the address of the service's API"),
      requests_per_minute: number("the plan"),
      callback: text("the URL for deliveries"),
      receiver: text("host and port that deliveries come to"),
      admin: text("the address of the admin listener"),
      warehouse: text("the file or the database, without its password"),
      lake: text("where exports go"),
      seconds
    },
    (is) =>
      `siteledger ${is.version} runs, after ${is.seconds} s: ${is.service} at ${is.requests_per_minute} requests per ` +
      `minute; deliveries for ${is.callback} on ${is.receiver}; ${is.warehouse}; exports to ${is.lake}; admin ${is.admin}.`
  ),
  "worker.waits": line(
    "Warn",
    "The start meets a lock or damage, and is tried again.",
    { why: text("in a sentence") },
    ({ why }) => `The start waits. ${why}`
  ),
  "worker.restarting": line(
    "Info",
    "The pipelines stop and start again in the same process, as after `siteledger rebuild`.",
    { why: text("in words") },
    ({ why }) => `The pipelines start again: ${why}.`
  ),
  "worker.stopping": line(
    "Info",
    "A signal asks the worker to stop.",
    { why: text("the signal") },
    ({ why }) => `The worker stops: ${why}. Work in progress is finished or rolled back.`
  ),
  "worker.failed": line(
    "Error",
    "The worker can't start, or can't go on, and ends with exit code 1.",
    { why: text("in a sentence") },
    ({ why }) => `The worker ends: ${why}`
  ),
  "worker.stopped": line(
    "Info",
    "Everything has stopped; the last line of a worker that wasn't killed.",
    { seconds },
    ({ seconds }) => `The worker has stopped, after ${seconds} s.`
  ),
  "setting.odd": line(
    "Warn",
    "The name of a variable looks like a typo.",
    { why: text("in a sentence, without the value") },
    ({ why }) => why
  ),
  "pipeline.crashed": line(
    "Error",
    "A broken invariant ends a pipeline. It is restarted; the cause is in the line.",
    { pipeline: text("its name") },
    ({ pipeline }) => `${pipeline} crashed and is restarted`
  ),
  "leader.changed": line(
    "Info",
    "This worker, one of several on a database, starts or stops leading.",
    { leads: truth("whether it leads now"), host: text("of this worker"), pid: number("its process id") },
    ({ host, leads, pid }) => `This worker (${pid} on ${host}) ${leads ? "leads" : "no longer leads"}`
  ),
  "log.omitted": line(
    "Warn",
    "More lines of one name came in a minute than are written.",
    {
      of: text("the name of the lines"),
      lines: number("how many were left out"),
      most: number("how many are written a minute")
    },
    ({ lines, most, of }) =>
      `${counted(lines, "line")} of ${of} ${lines === 1 ? "was" : "were"} left out: at most ${most} are written a minute.`
  )
}

const verb = text("its name in `POST /verbs/…`")
const principal = text("a principal's name, `admin`, or `os:` and a user of the operating system")

export const verbs = {
  "verb.ended": line(
    "Info",
    "A verb that changes something was carried out, or has failed.",
    {
      verb,
      principal,
      by: maybe(text("the name given with `--by`, which is a note")),
      outcome: word<"done" | "failed">("done or failed"),
      why: maybe(text("of the failure, in a sentence"))
    },
    ({ by, outcome, principal, verb, why }) =>
      `${principal}${by === null ? "" : ` (${by})`} asked for ${verb}: ${why === null ? outcome : `${outcome}. ${why}`}`
  ),
  "verb.refused": line(
    "Warn",
    "A principal asked for something that none of its roles allows.",
    { request: text("its path"), principal, needs: text("decide, operate or admin") },
    ({ needs, principal, request }) => `Refused ${request}: ${principal} lacks ${needs}`
  ),
  // A separate name, because anyone can cause as many of these as are written in a minute.
  "token.refused": line(
    "Warn",
    "A request to the admin listener has no valid token: none, an unknown one, or one that was revoked.",
    { request: text("its path") },
    ({ request }) => `Refused ${request}: no valid token`
  ),
  "session.begun": line(
    "Info",
    "Somebody has signed in to the dashboard.",
    { principal, ends: text("when they will be signed out") },
    ({ ends, principal }) => `${principal} signed in to the dashboard, until ${ends}`
  )
}

export const reasons = {
  "reason.set": line(
    ({ reason_level }) => levelOf[reason_level],
    "A reason becomes active, or its level or sentence changes. The level of the line follows the reason's: notice is info, degraded is warn, critical is error.",
    { reason, reason_level, sentence: text("what is wrong"), to_do: text("what to do") },
    ({ sentence }) => sentence
  ),
  "reason.cleared": line(
    "Info",
    "A reason has passed.",
    { reason, reason_level, seconds: number("how long it was active") },
    ({ reason, seconds }) => `Resolved: ${reason}, after ${seconds} s`
  )
}

export const service = {
  "subscription.created": line(
    "Info",
    "The service has made a subscription, and its secret is stored.",
    {
      callback: text("the URL for deliveries"),
      events: number("how many event types"),
      fingerprint: text("of the secret")
    },
    ({ callback, events, fingerprint }) =>
      `Subscribed ${callback} to ${counted(events, "event type")}; the secret is ${fingerprint}`
  ),
  "service.moved": line(
    "Info",
    "The service's address has another version than at the last start.",
    { service: text("the address now"), before: text("the identity noted until now") },
    ({ before, service }) => `The API is read at ${service} from now on (until now: ${before})`
  ),
  "walk.finished": line(
    "Info",
    "A pass has read the whole list.",
    {
      resource,
      pass: number("its number"),
      proof: text("unproven, counts-agree, passes-agree or proven"),
      rows: number("distinct rows that it saw"),
      total: number("rows by the service's count"),
      pages: number("of the pass"),
      seconds: number("how long it took since this process began or resumed it")
    },
    ({ pages, proof, resource, rows, seconds, total }) =>
      `Walked ${resource}: ${rows} rows of ${total}, ${proof}, ${counted(pages, "page")} in ${seconds} s`
  ),
  "walk.changed": line(
    "Info",
    "The changes in a list since it was last read have been read, by the filter that the list offers.",
    {
      resource,
      rows: number("that the service says have changed"),
      pages: number("that it took"),
      seconds: number("how long it took")
    },
    ({ pages, resource, rows, seconds }) =>
      `Read ${counted(rows, "changed row")} of ${resource}, ${counted(pages, "page")} in ${seconds} s`
  ),
  "columns.added": line(
    "Info",
    "Records have fields that had no column: the list's table got some.",
    { resource, columns: text("their names and types") },
    (is) => `The table of ${is.resource} has new columns: ${is.columns}`
  ),
  "secret.added": line(
    "Info",
    "A webhook secret was added by hand.",
    { fingerprint: text("of the secret") },
    ({ fingerprint }) => `The webhook secret ${fingerprint} is valid from now on`
  ),
  "secret.retired": line(
    "Info",
    "A webhook secret was retired by hand.",
    { fingerprint: text("of the secret"), ends_at: text("until when it is valid") },
    ({ ends_at, fingerprint }) => `The webhook secret ${fingerprint} ends at ${ends_at}`
  ),
  "token.unreadable": line(
    "Warn",
    "The kept refresh token of QuickBooks was sealed with another key; the configured one is used.",
    { why: text("in a sentence") },
    ({ why }) => why
  )
}
