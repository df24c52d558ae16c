/**
 * Who is signed in to the dashboard. A code, good for one sign-in within two minutes, or a token begins a session of
 * twelve hours.
 *
 * A session is 256 random bits in a cookie. The Store has only its hash, so it survives a restart of the worker. It
 * belongs to the principal who asked for it, and ends with the token that this principal then had, or when the person
 * signs out. Codes exist only in memory: a restart ends them.
 */
import { hash, randomBytes } from "node:crypto"
import { Clock, Context, Duration, Effect, Layer, Option, Redacted } from "effect"
import { Settings } from "../../../config/Settings.ts"
import * as Instant from "../../Domain/Instant.ts"
import { Store, type StoreError } from "../../Stores/Store.ts"
import { type Caller, everything } from "../Admin/Caller.ts"
import * as Principals from "../Principals.ts"

/** A secret for the person, and its expiry. */
interface Issued {
  readonly secret: string
  readonly endsAt: Instant.Instant
}

export class Sessions extends Context.Service<
  Sessions,
  {
    /** For one sign-in as this principal, within two minutes unless said otherwise. */
    readonly code: (principal: string, within?: Duration.Duration) => Effect.Effect<Issued>
    /** The owner of a code; undefined if it was used, is too old, or never existed. */
    readonly redeem: (code: string) => Effect.Effect<string | undefined>
    readonly begin: (principal: string) => Effect.Effect<Issued, StoreError>
    /** Who is signed in; undefined if the session doesn't exist or has ended. */
    readonly find: (secret: string) => Effect.Effect<Caller | undefined, StoreError>
    readonly end: (secret: string) => Effect.Effect<void, StoreError>
  }
>()("siteledger/Sessions") {
  static readonly layer = Layer.effect(
    Sessions,
    Effect.suspend(() => make)
  )
}

const codeFor = Duration.minutes(2)
const sessionFor = Duration.hours(12)

/** A caller who asks for more has forgotten the earlier ones. */
const mostCodes = 1000

const digest = (secret: string): string => hash("sha256", secret, "hex")

const codeBytes = 16
const sessionBytes = 32

const issue = (bytes: number, within: Duration.Duration): Effect.Effect<Issued> =>
  Effect.map(Clock.currentTimeMillis, (now) => ({
    secret: randomBytes(bytes).toString("base64url"),
    endsAt: Instant.fromMillis(now + Duration.toMillis(within))
  }))

const now = Effect.map(Clock.currentTimeMillis, Instant.fromMillis)

const codes = () => {
  const known = new Map<string, { readonly principal: string; readonly endsAt: Instant.Instant }>()
  const code = Effect.fnUntraced(function* (principal: string, within = codeFor) {
    const issued = yield* issue(codeBytes, within)
    const [oldest] = known.keys()
    if (known.size >= mostCodes && oldest !== undefined) known.delete(oldest)
    known.set(digest(issued.secret), { principal, endsAt: issued.endsAt })
    return issued
  })
  const redeem = Effect.fnUntraced(function* (given: string) {
    const key = digest(given)
    const found = known.get(key)
    known.delete(key)
    return found !== undefined && (yield* now) < found.endsAt ? found.principal : undefined
  })
  return { code, redeem }
}

/**
 * Who this is now, and the token on which their session rests; undefined if they may do nothing. The owner of the data
 * directory needs no token.
 */
const standingWith = ({ adminToken }: Settings["Service"]) =>
  Effect.fnUntraced(function* (principal: string) {
    if (principal.startsWith("os:")) return { caller: everything(principal), tokenSha256: null }
    if (principal === "admin") {
      if (Option.isNone(adminToken)) return undefined
      return { caller: everything(principal), tokenSha256: Principals.digest(Redacted.value(adminToken.value)) }
    }
    const found = yield* Principals.standing(principal)
    return found && { caller: { principal, roles: found.roles, isAdmin: false }, tokenSha256: found.tokenSha256 }
  })

const make = Effect.gen(function* () {
  const store = yield* Store
  const settled = standingWith(yield* Settings)
  const standing = (principal: string) => Effect.provideService(settled(principal), Store, store)

  const begin = Effect.fn("Sessions.begin")(function* (principal: string) {
    const issued = yield* issue(sessionBytes, sessionFor)
    const begun_at = yield* now
    const rests = yield* standing(principal)
    const row = {
      session_sha256: digest(issued.secret),
      principal,
      token_sha256: rests?.tokenSha256 ?? null,
      begun_at,
      ends_at: issued.endsAt
    }
    yield* store.transaction(async (tx) => {
      await tx.deleteFrom("sessions").where("ends_at", "<=", begun_at).execute()
      await tx.insertInto("sessions").values(row).execute()
    })
    return issued
  })

  const find = Effect.fn("Sessions.find")(function* (secret: string) {
    const at = yield* now
    const session = yield* store.run((db) =>
      db
        .selectFrom("sessions")
        .select(["principal", "token_sha256"])
        .where("session_sha256", "=", digest(secret))
        .where("ends_at", ">", at)
        .executeTakeFirst()
    )
    const rests = session && (yield* standing(session.principal))
    return rests?.tokenSha256 === session?.token_sha256 ? rests?.caller : undefined
  })

  const end = (secret: string) =>
    store.transaction(async (tx) => {
      await tx.deleteFrom("sessions").where("session_sha256", "=", digest(secret)).execute()
    })

  return Sessions.of({ ...codes(), begin, find, end })
})
