/**
 * What can be asked of a running worker, each once: the listener answers it, the command line (and a page) asks it, and
 * without a worker the command line does the same in its own process. What does it is in `Verbs`.
 *
 * It knows nothing of servers and stores, so that a browser can load it; test/tidy.test.ts sees to that.
 */
import { type Effect, Schema } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { AsOf } from "../Lake/Manifest.ts"
import { ledgerVerbs } from "./AdminApi/LedgerVerbs.ts"
import { StatusReport } from "./AdminApi/StatusReport.ts"
import { nothing, refusals, verb } from "./AdminApi/Verb.ts"

const Exported = Schema.Struct({
  run: Schema.String,
  asOf: AsOf,
  rows: Schema.Int,
  filesWritten: Schema.Int,
  bytesWritten: Schema.Int,
  /** Named again, as their rows haven't changed. */
  filesKept: Schema.Int
})

const Time = Schema.NullOr(Schema.String)

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
  /** Lays an export on the lake. */
  verb("export", { payload: nothing, answer: Exported }),
  /** Makes the analysts' copy; answers what is in it. */
  verb("publish", { payload: nothing, answer: Schema.Struct({ at: Time, ageMs: Schema.NullOr(Schema.Finite) }) }),
  /** Reads the quarantine again. */
  verb("replay", { payload: nothing, answer: Schema.Struct({ read: Schema.Int, applied: Schema.Int }) }),
  /** Makes the warehouse again, from the inbox and a fresh walk. */
  verb("rebuild", { payload: nothing, answer: Schema.Struct({ rebuilding: Schema.Boolean }) }),
  /** Copies the Store, into a new file or in the place of what is there. */
  verb("backup", {
    payload: Schema.Struct({ path: Schema.String, replace: Schema.optionalKey(Schema.Boolean) }),
    answer: Schema.Struct({ path: Schema.String })
  }),
  /** What was missed since `from` has been replayed, or doesn't matter. */
  verb("close-gap", {
    payload: Schema.Struct({ from: Schema.String, reason: Schema.String }),
    answer: Schema.Struct({ closed: Schema.Struct({ from: Schema.String, to: Schema.String, reason: Schema.String }) })
  }),
  verb("secret-list", { payload: nothing, answer: Schema.Struct({ secrets: Schema.Array(Secret) }) }),
  /** One of a subscription made by hand, valid at once beside all others. */
  verb("secret-add", {
    payload: Schema.Struct({ secret: Schema.String }),
    answer: Schema.Struct({ added: Secret })
  }),
  verb("secret-retire", {
    payload: Schema.Struct({
      fingerprint: Schema.String,
      /** How long it stays valid, like `24 hours`; without it, it ends at once. */
      in: Schema.optionalKey(Schema.String),
      /** Also the last one that stays valid. */
      force: Schema.optionalKey(Schema.Boolean)
    }),
    answer: Schema.Struct({ retired: Schema.Array(Secret) })
  })
] as const

export class AdminApi extends HttpApi.make("siteledger").add(
  HttpApiGroup.make("worker").add(
    HttpApiEndpoint.get("status", "/status", { success: StatusReport, error: refusals, disableCodecs: true })
  ),
  HttpApiGroup.make("verbs").add(...verbs, ...ledgerVerbs)
) {}

type Verbs = (typeof AdminApi)["groups"]["verbs"]["endpoints"]

export type VerbName = keyof Verbs
export type Payload<Name extends VerbName> = HttpApiEndpoint.Payload<Verbs[Name]>["Type"]
export type Answer<Name extends VerbName> = HttpApiEndpoint.Success<Verbs[Name]>["Type"]

/** An endpoint holds its payload by content type, without its type. */
export const payloadOf = <Name extends VerbName>(name: Name): Schema.Codec<Payload<Name>> => {
  const [json] = AdminApi.groups.verbs.endpoints[name].payload.values()
  return json?.schemas[0] as Schema.Codec<Payload<Name>>
}

/** What does a verb, and the services that it needs for that. */
export type Handler<Name extends VerbName, Needs = unknown> = (
  given: Payload<Name>
) => Effect.Effect<Answer<Name>, { readonly message: string }, Needs>
