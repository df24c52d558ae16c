/**
 * Carries out the verbs that `AdminApi` describes: in the running worker, through its listener, or in the command line,
 * which then takes the lock itself.
 */
import { Duration, Effect, Redacted, Result } from "effect"
import * as Parse from "../../config/Parse.ts"
import * as Instant from "../Domain/Instant.ts"
import * as Limits from "../Domain/Limits.ts"
import { Receiver } from "../Intake/Receiver.ts"
import type { Refused } from "../Intake/Receiver/Refusals.ts"
import { Secrets } from "../Intake/Secrets.ts"
import { Uptime } from "../Intake/Uptime.ts"
import { Export } from "../Lake/Export.ts"
import { AnalystCopy } from "../Lake/AnalystCopy.ts"
import { Principal } from "../Runtime/Principal.ts"
import { Restart } from "../Runtime/Restart.ts"
import * as Projection from "../Stores/Projection.ts"
import { Store } from "../Stores/Store.ts"
import type { Handler, Payload, VerbName } from "./AdminApi.ts"
import { VerbError } from "./AdminApi/Verb.ts"
import * as AdminLog from "./AdminLog.ts"
import { Backup } from "./Backup.ts"
import { Sessions } from "./Dashboard/Sessions.ts"
import { delivery } from "./Delivery.ts"
import { events } from "./Events.ts"
import { history } from "./History/Points.ts"
import { lake } from "./Verbs/Lake.ts"
import { quarantine, quarantineExport, replay } from "./Quarantine.ts"
import { record } from "./Record.ts"
import { records } from "./Records.ts"
import { tables } from "./Tables.ts"
import { ledger } from "./Verbs/Ledger.ts"
import { principals } from "./Verbs/Principals.ts"
import { setup } from "./Verbs/Setup.ts"
import { walks } from "./Walks.ts"

const secretAdd: Handler<"secret-add", Secrets> = Effect.fnUntraced(function* ({ secret }) {
  const text = secret.trim()
  if (!/^\S{8,}$/.test(text)) return yield* notOneSecret
  const secrets = yield* Secrets
  return { added: yield* secrets.add(Redacted.make(text)) }
})

const notOneSecret = new VerbError({
  message: "Exactly one secret is needed, of at least 8 characters and without spaces."
})

const secretRetire: Handler<"secret-retire", Secrets> = Effect.fnUntraced(function* ({
  fingerprint,
  force = false,
  in: time
}) {
  const after = time === undefined ? Result.succeed(Duration.zero) : Parse.duration(time)
  if (Result.isFailure(after)) return yield* new VerbError({ message: `--in ${after.failure}` })
  const secrets = yield* Secrets
  return { retired: yield* secrets.retire(fingerprint, { after: after.success, isForced: force }) }
})

const closeGap: Handler<"close-gap", Uptime> = Effect.fnUntraced(function* ({ from, reason }) {
  const micros = Instant.readMicros(from)
  const uptime = yield* Uptime
  const gaps = yield* uptime.gaps
  // People copy times only to the second.
  const gap = gaps.find(({ fromMs }) => micros !== undefined && Math.abs(fromMs - micros / 1000) < 1000)
  if (gap === undefined) {
    const open = gaps.map(({ fromMs }) => Instant.fromMillis(fromMs)).join(", ") || "none"
    return yield* new VerbError({ message: `No open gap begins at ${from}. Open gaps begin at: ${open}.` })
  }
  yield* uptime.close(gap.fromMs, gap.toMs, reason)
  return { closed: { from: Instant.fromMillis(gap.fromMs), to: Instant.fromMillis(gap.toMs), reason } }
})

const shown = ({ signature: _signature, ...refused }: Refused) => refused

/** Keeps the old file. */
const rebuild: Handler<"rebuild", Store | Restart> = Effect.fnUntraced(function* () {
  const isAtNextStart = yield* Projection.rebuild(yield* Store)
  if (isAtNextStart) yield* Effect.flatMap(Restart, ({ request }) => request("a person asked for a rebuild"))
  return { rebuilding: true }
})

const sessionCode: Handler<"session-code", Sessions> = Effect.fnUntraced(function* () {
  const principal = (yield* Principal) ?? ""
  const { endsAt, secret } = yield* (yield* Sessions).code(principal)
  return { code: secret, endsAt }
})

const verbs = {
  export: () => Effect.flatMap(Export, (exports) => exports.run),
  publish: () => Effect.flatMap(AnalystCopy, (publish) => Effect.andThen(publish.now, publish.status)),
  events,
  delivery,
  history,
  walks,
  tables,
  records,
  record,
  quarantine,
  "quarantine-export": quarantineExport,
  replay,
  rebuild,
  backup: ({ path, replace = false }) =>
    Effect.flatMap(Store, (store) => Effect.as(store.backup(path, replace), { path })),
  "backup-verify": () =>
    Effect.map(
      Effect.flatMap(Backup, ({ verify }) => verify),
      ({ through: _through, ...verified }) => verified
    ),
  "close-gap": closeGap,
  "refused-seen": () =>
    Effect.flatMap(Receiver, ({ refusedSeen }) => Effect.map(refusedSeen, (refused) => ({ seen: refused.map(shown) }))),
  "secret-list": () =>
    Effect.flatMap(Secrets, (secrets) => Effect.map(secrets.list, (listed) => ({ secrets: listed }))),
  "secret-add": secretAdd,
  "secret-retire": secretRetire,
  "session-code": sessionCode,
  ...lake,
  ...ledger,
  ...principals,
  ...setup
} satisfies { readonly [Name in VerbName]: Handler<Name> }

/** The services that a verb needs. */
export type Needs<Name extends VerbName> = Effect.Services<ReturnType<(typeof verbs)[Name]>> | Store

const handlers: { readonly [Name in VerbName]: Handler<Name, Needs<Name>> } = verbs

/** Carries out a verb here, as this principal, who is allowed to. */
export const carryOut = <Name extends VerbName>(name: Name, payload: Payload<Name>, principal: string) =>
  Effect.andThen(
    isStorable(payload) ? Effect.void : notStorable,
    AdminLog.record({ verb: name, payload, principal })
  ).pipe(
    Effect.andThen(handlers[name](payload)),
    Effect.provideService(Principal, principal),
    Effect.mapError(({ message }) => new VerbError({ message }))
  )

const isStorable = (value: unknown): boolean => {
  if (typeof value === "string") return Limits.isText(value)
  return typeof value !== "object" || value === null || Object.values(value).every(isStorable)
}

const notStorable = new VerbError({
  message: "An argument holds a NUL character, which can't be stored: leave it out."
})
