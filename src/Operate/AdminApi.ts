/**
 * Every request that a running worker answers, described once. The admin listener serves it, the command line (or a page)
 * sends it; without a worker the command line does the same in its own process. `Verbs` carries it out.
 *
 * It imports nothing of servers and stores, so that a browser can load it; test/tidy.test.ts checks that.
 */
import { Context, type Effect, Schema } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { AsOf } from "../Lake/Manifest.ts"
import { lakeVerbs } from "./AdminApi/LakeVerbs.ts"
import { ledgerVerbs } from "./AdminApi/LedgerVerbs.ts"
import { principalVerbs } from "./AdminApi/PrincipalVerbs.ts"
import { sessionVerbs } from "./AdminApi/SessionVerbs.ts"
import { sinkVerbs } from "./AdminApi/SinkVerbs.ts"
import { StatusReport } from "./AdminApi/StatusReport.ts"
import { nothing, type Needed, Needs, refusals, verb } from "./AdminApi/Verb.ts"

const Exported = Schema.Struct({
  run: Schema.String,
  asOf: AsOf,
  rows: Schema.Int,
  filesWritten: Schema.Int,
  bytesWritten: Schema.Int,
  /** Kept from earlier runs, because their rows haven't changed. */
  filesKept: Schema.Int,
  /** Why Delta logs aren't continued, a sentence for each. */
  leftAlone: Schema.Array(Schema.String)
})

const Time = Schema.NullOr(Schema.String)

const Refused = Schema.Struct({
  for: Schema.Literals(["too-large", "encoded"]),
  /** By its header, which isn't signed. */
  eventId: Schema.NullOr(Schema.String),
  firstAt: Schema.String,
  lastAt: Schema.String,
  times: Schema.Int,
  /** It was a delivery: its signature was checked. */
  isSigned: Schema.Boolean
})

const Secret = Schema.Struct({
  fingerprint: Schema.String,
  source: Schema.String,
  state: Schema.Literals(["valid", "ending", "retired", "lost", "unreadable"]),
  addedAt: Time,
  retiredAt: Time,
  expiresAt: Time,
  lastUsedAt: Time
})

const Event = Schema.Struct({
  sequence: Schema.Int,
  event_id: Schema.String,
  event_type: Schema.NullOr(Schema.String),
  event_timestamp: Time,
  received_at: Schema.String,
  entity: Schema.NullOr(Schema.String),
  entity_id: Schema.NullOr(Schema.String),
  outcome: Schema.Literals(["applied", "quarantined"]),
  /** Why it is in quarantine. */
  reason: Schema.NullOr(Schema.String),
  alarms: Schema.Array(Schema.String)
})

const Delivery = Schema.Struct({
  ...Event.fields,
  issued_at: Time,
  /** How often the body came. */
  deliveries: Schema.Int,
  body_sha256: Schema.String,
  /** Of the first delivery, in the order in which they came, without those that hold credentials. */
  headers: Schema.Array(Schema.Struct({ name: Schema.String, value: Schema.String })),
  /** Unpacked, if it was compressed; null if it isn't text, or lost. */
  body: Schema.NullOr(Schema.String),
  /** As it was signed; null if a damaged disk has lost it. */
  bodyBase64: Schema.NullOr(Schema.String),
  /** Columns of its record whose values are still the ones that it said. */
  columns: Schema.Array(Schema.String),
  /** What was posted on its ground. */
  entries: Schema.Array(
    Schema.Struct({
      entry_id: Schema.String,
      kind: Schema.String,
      amount: Schema.String,
      currency: Schema.NullOr(Schema.String),
      payment_reference: Schema.String
    })
  )
})

/** A step of the history, of all workers together. */
const Point = Schema.Struct({
  /** When it began. */
  at: Schema.String,
  deliveries: Schema.Int,
  /** Which the half, and 99 of 100 events, took no longer to have their rows written; null: there was none. */
  visibleP50Ms: Schema.NullOr(Schema.Finite),
  visibleP99Ms: Schema.NullOr(Schema.Finite),
  /** The same until they were posted, of entries that an event caused. */
  postedP50Ms: Schema.NullOr(Schema.Finite),
  postedP99Ms: Schema.NullOr(Schema.Finite),
  requests: Schema.Int,
  /** As many requests the plan allows in a whole step. */
  limit: Schema.Int
})

const verbs = [
  /** Writes an export to the lake. */
  verb("export", { needs: "operate", payload: nothing, answer: Exported }),
  /** Makes a fresh copy for analysts. */
  verb("publish", {
    needs: "operate",
    payload: nothing,
    answer: Schema.Struct({ at: Time, ageMs: Schema.NullOr(Schema.Finite) })
  }),
  /** Reads the quarantine again. */
  verb("replay", {
    needs: "operate",
    payload: nothing,
    answer: Schema.Struct({ read: Schema.Int, applied: Schema.Int })
  }),
  /** Rebuilds the warehouse from the inbox and a fresh walk. */
  verb("rebuild", { needs: "operate", payload: nothing, answer: Schema.Struct({ rebuilding: Schema.Boolean }) }),
  /** Copies the Store into a new file, or in place of an existing one. */
  verb("backup", {
    needs: "operate",
    payload: Schema.Struct({ path: Schema.String, replace: Schema.optionalKey(Schema.Boolean) }),
    answer: Schema.Struct({ path: Schema.String })
  }),
  /** Reads the whole backup off the machine back, and writes again what was damaged. */
  verb("backup-verify", {
    needs: "operate",
    payload: nothing,
    answer: Schema.Struct({
      backup: Schema.String,
      /** Up to when it reaches. */
      at: Schema.String,
      chunks: Schema.Int,
      bytes: Schema.Int,
      /** Sentences. */
      faults: Schema.Array(Schema.String)
    })
  }),
  /** Records that what was missed since `from` has been replayed, or doesn't matter. */
  verb("close-gap", {
    needs: "operate",
    payload: Schema.Struct({ from: Schema.String, reason: Schema.String }),
    answer: Schema.Struct({ closed: Schema.Struct({ from: Schema.String, to: Schema.String, reason: Schema.String }) })
  }),
  /** The newest events, in stored order. */
  verb("events", {
    needs: "read",
    payload: Schema.Struct({
      /** Those after this sequence; absent: of the newest. */
      after: Schema.optionalKey(Schema.Int),
      /** At most so many. */
      last: Schema.optionalKey(Schema.Int),
      types: Schema.optionalKey(Schema.Array(Schema.String)),
      ipc: Schema.optionalKey(Schema.String),
      outcome: Schema.optionalKey(Schema.Literals(["applied", "quarantined"]))
    }),
    /** `through`: the sequence up to which they were looked at. */
    answer: Schema.Struct({ through: Schema.Int, events: Schema.Array(Event) })
  }),
  /** What came under an id, or with the sequence that `events` shows: as received, and what came of it. */
  verb("delivery", {
    needs: "read",
    payload: Schema.Struct({ id: Schema.String }),
    answer: Schema.Struct({ deliveries: Schema.Array(Delivery) })
  }),
  /** What was done in each minute of the last hour, or in ten of the last day, oldest first; none in which no worker ran. */
  verb("history", {
    needs: "read",
    payload: Schema.Struct({ range: Schema.Literals(["hour", "day"]) }),
    answer: Schema.Struct({ stepSeconds: Schema.Int, points: Schema.Array(Point) })
  }),
  /** Records that a person has seen which deliveries were refused with 413 or 415. */
  verb("refused-seen", { needs: "operate", payload: nothing, answer: Schema.Struct({ seen: Schema.Array(Refused) }) }),
  verb("secret-list", { needs: "read", payload: nothing, answer: Schema.Struct({ secrets: Schema.Array(Secret) }) }),
  /** The secret of a subscription made by hand; valid at once, as all others are. */
  verb("secret-add", {
    needs: "operate",
    payload: Schema.Struct({ secret: Schema.String }),
    answer: Schema.Struct({ added: Secret })
  }),
  verb("secret-retire", {
    needs: "operate",
    payload: Schema.Struct({
      fingerprint: Schema.String,
      /** How long it stays valid, like `24 hours`; absent: it ends at once. */
      in: Schema.optionalKey(Schema.String),
      /** Retires even the last valid one. */
      force: Schema.optionalKey(Schema.Boolean)
    }),
    answer: Schema.Struct({ retired: Schema.Array(Secret) })
  })
] as const

export class AdminApi extends HttpApi.make("siteledger").add(
  HttpApiGroup.make("worker").add(
    HttpApiEndpoint.get("status", "/status", { success: StatusReport, error: refusals, disableCodecs: true }).annotate(
      Needs,
      "read"
    )
  ),
  HttpApiGroup.make("verbs").add(
    ...verbs,
    ...lakeVerbs,
    ...ledgerVerbs,
    ...sinkVerbs,
    ...principalVerbs,
    ...sessionVerbs
  )
) {}

type Verbs = (typeof AdminApi)["groups"]["verbs"]["endpoints"]

export type VerbName = keyof Verbs
export type Payload<Name extends VerbName> = HttpApiEndpoint.Payload<Verbs[Name]>["Type"]
export type Answer<Name extends VerbName> = HttpApiEndpoint.Success<Verbs[Name]>["Type"]

export const neededFor = (name: VerbName): Needed =>
  Context.get(AdminApi.groups.verbs.endpoints[name].annotations, Needs)

/** An endpoint holds its payload's schema by content type, untyped. */
export const payloadOf = <Name extends VerbName>(name: Name): Schema.Codec<Payload<Name>> => {
  const [json] = AdminApi.groups.verbs.endpoints[name].payload.values()
  return json?.schemas[0] as Schema.Codec<Payload<Name>>
}

/** Carries out a verb, with the services that it needs. */
export type Handler<Name extends VerbName, Needs = unknown> = (
  payload: Payload<Name>
) => Effect.Effect<Answer<Name>, { readonly message: string }, Needs>
