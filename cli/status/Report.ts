/**
 * The status of a worker as lines for a person.
 */
import type { StatusReport } from "../../src/Operate/AdminApi/StatusReport.ts"
import * as Text from "../../src/Query/Text.ts"

export const describe = (report: StatusReport): ReadonlyArray<string> => [
  `phase         ${report.phase}`,
  ...report.reasonDetails.flatMap(({ level, sentence, since, toDo }) => [
    `  ${level.padEnd(12)}${Text.visibleLines(sentence)} (active since ${since})`,
    `  ${"to do".padEnd(12)}${toDo}`
  ]),
  `siteledger    ${report.version} on ${report.host}, since ${report.startedAt}`,
  ...lists(report.backfill),
  `inbox         ${report.inbox.pending} pending, ${report.inbox.quarantined} in quarantine`,
  ...unposted(report.inbox.unposted),
  `events        ${counted(report.events)} since the worker's start; last: ${report.lastEventAt ?? "never"}`,
  `api           ${report.api.usedLastMinute} of ${report.api.limitPerMinute} requests in the last minute`,
  ...clock(report.clockSkewMs),
  `subscription  ${report.subscription.url} ${
    report.subscription.verifiedAt === null ? "(not verified yet)" : `verified at ${report.subscription.verifiedAt}`
  }`,
  ...report.subscription.toDelete.map(
    ({ createdAt, fingerprint, isSecretLost, url }) =>
      `  !           delete the ${isSecretLost ? "subscription whose secret we never learned" : "old subscription"} ` +
      `of ${url}, created at ${createdAt}, in the service; then \`siteledger secret retire ${fingerprint}\``
  ),
  `secrets       ${report.secrets.valid} valid` +
    (report.secrets.ending > 0 ? `, ${report.secrets.ending} of them ending` : "") +
    (report.secrets.unreadable > 0 ? `, ${report.secrets.unreadable} that can't be opened` : ""),
  `gaps          ${report.gaps.length === 0 ? "none" : `${report.gaps.length} open`}`,
  ...report.gaps.map(
    (gap) =>
      `  !           ${gap.from} to ${gap.to}, ${gap.healsAt === null ? "lost" : `healed by ${gap.healsAt}`}` +
      (gap.cameLate === null ? "" : `, ${gap.cameLate} of its deliveries have arrived since`)
  ),
  `ledger        ${report.ledger.entries} posted, ${report.ledger.holds} on hold${posted(report)}`,
  ...sinkLines(report),
  `export        last ${report.export.lastAt ?? "never"}, next ${report.export.nextAt ?? "never"}`,
  `published     ${report.published.at ?? "never"}${ago(report.published.ageMs)}`,
  `check         ${report.check.done} of ${report.check.of} parts read this week; last complete: ${report.check.at ?? "never"}`,
  ...backupLines(report),
  ...report.tasks.map(
    ({ done, name, total, unit }, index) =>
      `${index === 0 ? "under way" : ""}`.padEnd(14) + `${name}: ${done} of ${total} ${unit}`
  ),
  ...report.workers.map(workerLine)
]

/** One line each; if there are several, first how many have which proof. */
const lists = (backfill: StatusReport["backfill"]): ReadonlyArray<string> => {
  const all = Object.entries(backfill)
  const width = Math.max(13, ...all.map(([resource]) => resource.length))
  const byProof = Map.groupBy(all, ([, { proof }]) => proof)
  const proofs = [...byProof].map(([proof, those]) => `${those.length} ${proof}`)
  return [
    ...(all.length < 2 ? [] : [`lists         ${all.length}: ${proofs.join(", ")}`]),
    ...all.flatMap(([resource, list]) => [
      ...within80(
        resource.padEnd(width),
        `${list.rows} rows, page ${list.pagesDone} of ${list.pagesTotal}, ${list.proof}`,
        list.quarantined > 0 ? `${list.quarantined} records in quarantine` : undefined
      ),
      ...later(list)
    ])
  ]
}

/** On one line if it fits. */
const within80 = (name: string, what: string, more: string | undefined): ReadonlyArray<string> => {
  const line = `${name} ${what}${more === undefined ? "" : `, ${more}`}`
  if (line.length <= 80) return [line]
  return [name.trimEnd(), `  ${what}`, ...(more === undefined ? [] : [`  ${more}`])]
}

const minute = (at: string): string => `${at.slice(0, 16).replace("T", " ")} UTC`

/** Parts that only some lists have. */
const later = ({
  changedAt,
  nextProofAt,
  parents,
  requestsLeft
}: StatusReport["backfill"][string]): ReadonlyArray<string> => [
  ...(nextProofAt === null
    ? []
    : [
        `  next proven about ${minute(nextProofAt)}, after ${requestsLeft ?? 0} request${requestsLeft === 1 ? "" : "s"}`
      ]),
  ...(changedAt === null ? [] : [`  with its changes as of ${minute(changedAt)}`]),
  ...(parents === null || parents.found === parents.proven
    ? []
    : [`  proven for ${parents.proven} of ${parents.found} parents`])
]

// Without a sign for values that round to zero.
const seconds = (ms: number): string => `${(Math.round(ms / 100) / 10 || 0).toFixed(1)} s`

/** The service says its time in whole seconds. */
const skew = (ms: number | null): string => {
  if (ms === null) return "not compared with the service's yet"
  if (Math.abs(ms) < 1000) return "within a second of the service's"
  return `${seconds(Math.abs(ms))} ${ms < 0 ? "behind" : "ahead of"} the service's`
}

const clock = ({ answers, deliveries, events }: StatusReport["clockSkewMs"]): ReadonlyArray<string> => {
  const from = (ms: number, what: string): string => `${seconds(Math.abs(ms))} ${ms < 0 ? "before" : "after"} ${what}`
  const parts = [
    ...(deliveries === null ? [] : [from(deliveries, "they are sent")]),
    ...(events === null ? [] : [from(events, "their event")])
  ]
  if (answers === null && parts.length === 0) return []
  return [
    `clock         ${skew(answers)}`,
    ...(parts.length === 0 ? [] : [`  deliveries come at least ${parts.join(", ")}`])
  ]
}

const unposted = (count: number): ReadonlyArray<string> =>
  count === 0
    ? []
    : [
        `  !           ${count} ${count === 1 ? "event" : "events"} changed rows but posted nothing: only the unsigned header ` +
          "of a later delivery says which of several types it is. To trust the headers, run `siteledger replay` with " +
          "SITELEDGER_TRUST_TYPE_HEADER=true (in the worker's configuration if it is running)"
      ]

const counted = (events: StatusReport["events"]): string => {
  const counts = Object.entries(events).filter(([, count]) => count > 0)
  return counts.map(([outcome, count]) => `${count} ${outcome}`).join(", ") || "none"
}

/** Empty after a day: the time itself says enough. */
const ago = (ageMs: number | null): string => {
  if (ageMs === null || ageMs > 86_400_000) return ""
  const minutes = Math.floor(ageMs / 60_000)
  if (minutes < 1) return `, ${Math.floor(ageMs / 1000)} s ago`
  return minutes < 60 ? `, ${minutes} min ago` : `, ${Math.floor(minutes / 60)} h ${minutes % 60} min ago`
}

const workerLine = ({ host, isLeader, isThis, isUp, pid, reasons, seenAt }: StatusReport["workers"][number]): string =>
  `worker        ${pid} on ${host}${isUp ? "" : `, gone since ${seenAt}`}${isUp && isLeader ? ", leads" : ""}` +
  `${isThis ? ", this one" : ""}${reasons.length === 0 ? "" : `: ${reasons.join(" ")}`}`

const backupLines = ({ backup }: StatusReport): ReadonlyArray<string> =>
  backup === null
    ? []
    : [
        `backup        as of ${backup.at ?? "never"}${ago(backup.ageMs)}, on ${Text.visible(backup.to)}; read back: ` +
          `${backup.verifiedAt ?? "never"}`,
        ...(backup.error === null ? [] : [`  !           ${Text.visible(backup.error)}`])
      ]

const posted = ({ ledger: { oldestHold, openFrom, postedMs } }: StatusReport): string => {
  const open = openFrom === null ? "" : `; open from ${openFrom}`
  const took =
    postedMs.p50 === null
      ? open
      : `; posted after ${Math.round(postedMs.p50)} ms (p99 ${Math.round(postedMs.p99 ?? 0)} ms)${open}`
  if (oldestHold === null) return took
  const { amount, currency, ipcId, reason, since } = oldestHold
  const units = amount === null ? "" : ` ${[amount, currency].filter((part) => part !== null).join(" ")}`
  return `${took}; since ${since}: IPC ${ipcId},${units} ${reason}`
}

const sinkLines = ({ ledger: { sink } }: StatusReport): ReadonlyArray<string> =>
  sink === null ? [] : [`sink          ${sink.backlog} on their way to accounting, ${sink.dead} refused`]
