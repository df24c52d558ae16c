/**
 * Every request that a running worker answers, described once. The admin listener serves it, and the command line (or a
 * page) sends it; without a worker, the command line does the same in its own process. `Verbs` carries it out.
 *
 * It imports nothing from servers and stores, so that a browser can load it; test/tidy.test.ts checks that.
 */
import { Context, type Effect, Schema } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { AsOf } from "../Lake/Manifest.ts"
import { intakeVerbs } from "./AdminApi/IntakeVerbs.ts"
import { lakeVerbs } from "./AdminApi/LakeVerbs.ts"
import { ledgerVerbs } from "./AdminApi/LedgerVerbs.ts"
import { principalVerbs } from "./AdminApi/PrincipalVerbs.ts"
import { recordVerbs } from "./AdminApi/RecordVerbs.ts"
import { sessionVerbs } from "./AdminApi/SessionVerbs.ts"
import { setupVerbs } from "./AdminApi/SetupVerbs.ts"
import { sinkVerbs } from "./AdminApi/SinkVerbs.ts"
import { walkVerbs } from "./AdminApi/WalkVerbs.ts"
import { StatusReport } from "./AdminApi/StatusReport.ts"
import { nothing, type Needed, Needs, refusals, verb } from "./AdminApi/Verb.ts"

const Exported = Schema.Struct({
  run: Schema.String,
  asOf: AsOf,
  rows: Schema.Int,
  filesWritten: Schema.Int,
  bytesWritten: Schema.Int,
  /** Kept from earlier runs because their rows haven't changed. */
  filesKept: Schema.Int,
  /** Why Delta logs aren't continued; one sentence for each. */
  leftAlone: Schema.Array(Schema.String)
})

const Time = Schema.NullOr(Schema.String)

const Refused = Schema.Struct({
  for: Schema.Literals(["too-large", "encoded"]),
  /** From its header, which isn't signed. */
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

const verbs = [
  /** Writes an export to the lake. */
  verb("export", { needs: "operate", payload: nothing, answer: Exported }),
  /** Makes a fresh copy for analysts. */
  verb("publish", {
    needs: "operate",
    payload: nothing,
    answer: Schema.Struct({ at: Time, ageMs: Schema.NullOr(Schema.Finite) })
  }),
  /** Reads the quarantine again, or events that came under some ids or with some sequences. */
  verb("replay", {
    needs: "operate",
    payload: Schema.Struct({
      ids: Schema.optionalKey(Schema.Array(Schema.String).check(Schema.isBetweenLength(1, 1000)))
    }),
    answer: Schema.Struct({ read: Schema.Int, applied: Schema.Int })
  }),
  /** Rebuilds the warehouse from the inbox and a fresh walk. */
  verb("rebuild", { needs: "operate", payload: nothing, answer: Schema.Struct({ rebuilding: Schema.Boolean }) }),
  /** Copies the Store into a new file, or replaces an existing one. */
  verb("backup", {
    needs: "operate",
    payload: Schema.Struct({ path: Schema.String, replace: Schema.optionalKey(Schema.Boolean) }),
    answer: Schema.Struct({ path: Schema.String })
  }),
  /** Reads back the whole off-machine backup, and rewrites what was damaged. */
  verb("backup-verify", {
    needs: "operate",
    payload: nothing,
    answer: Schema.Struct({
      backup: Schema.String,
      /** The time up to which it reaches. */
      at: Schema.String,
      chunks: Schema.Int,
      bytes: Schema.Int,
      /** Sentences. */
      faults: Schema.Array(Schema.String)
    })
  }),
  /** Records that what was missed since `from` has been replayed or doesn't matter. */
  verb("close-gap", {
    needs: "operate",
    payload: Schema.Struct({ from: Schema.String, reason: Schema.String }),
    answer: Schema.Struct({ closed: Schema.Struct({ from: Schema.String, to: Schema.String, reason: Schema.String }) })
  }),
  /** Records that a person has seen which deliveries were refused with 413 or 415. */
  verb("refused-seen", { needs: "operate", payload: nothing, answer: Schema.Struct({ seen: Schema.Array(Refused) }) }),
  verb("secret-list", { needs: "read", payload: nothing, answer: Schema.Struct({ secrets: Schema.Array(Secret) }) }),
  /** Adds the secret of a subscription made by hand; it is valid at once, as are all others. */
  verb("secret-add", {
    needs: "operate",
    payload: Schema.Struct({ secret: Schema.String }),
    answer: Schema.Struct({ added: Secret })
  }),
  verb("secret-retire", {
    needs: "operate",
    payload: Schema.Struct({
      fingerprint: Schema.String,
      /** How long it stays valid, such as `24 hours`; absent if it ends at once. */
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
    ...intakeVerbs,
    ...verbs,
    ...lakeVerbs,
    ...recordVerbs,
    ...walkVerbs,
    ...ledgerVerbs,
    ...sinkVerbs,
    ...principalVerbs,
    ...sessionVerbs,
    ...setupVerbs
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
