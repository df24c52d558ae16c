/**
 * Principals: who may ask the workers for what, each with a token and roles. Only this module writes the table.
 *
 * A token is 256 random bits, shown once: the Store has only its hash. Each request checks the Store, so a revocation
 * takes effect with its commit, for all workers on a database. A name is never reused, because the books name it
 * forever.
 */
import { hash, randomBytes, timingSafeEqual } from "node:crypto"
import { Clock, Effect } from "effect"
import type { Selectable, Transaction } from "kysely"
import * as Instant from "../Domain/Instant.ts"
import { oneAtATime } from "../Stores/Sql.ts"
import { Store } from "../Stores/Store.ts"
import type { StoreTables } from "../Stores/StoreTables.ts"
import { Principal } from "../Runtime/Principal.ts"
import { type Needed, type Role, VerbError } from "./AdminApi/Verb.ts"

type Row = Selectable<StoreTables["principals"]>

/** Programs that look for leaked secrets recognise tokens by this. */
const prefix = "slp_"

export const digest = (token: string): string => hash("sha256", token, "hex")

const isSame = (one: string, other: string): boolean => timingSafeEqual(Buffer.from(one), Buffer.from(other))

const rolesOf = ({ roles }: Pick<Row, "roles">): ReadonlyArray<Role> => JSON.parse(roles) as ReadonlyArray<Role>

export const may = (roles: ReadonlyArray<Role>, needed: Needed): boolean =>
  needed === "read" ? roles.length > 0 : roles.some((role) => role === needed)

/**
 * The owner of a token; undefined if it has no owner, or no longer has one. All tokens are compared, so the time
 * reveals nothing about any of them.
 */
export const find = Effect.fn("Principals.find")(function* (token: string) {
  if (!token.startsWith(prefix)) return undefined
  const store = yield* Store
  const given = digest(token)
  const rows = yield* store.run((db) =>
    db.selectFrom("principals").selectAll().where("revoked_at", "is", null).execute()
  )
  const found = rows.map((row) => (isSame(row.token_sha256, given) ? row : undefined)).find((row) => row !== undefined)
  return found && { name: found.name, roles: rolesOf(found) }
})

/**
 * What a session rests on: it ends with the token that the principal had. Undefined if there is none, or it was
 * revoked.
 */
export const standing = Effect.fn("Principals.standing")(function* (name: string) {
  const store = yield* Store
  const row = yield* store.run((db) =>
    db
      .selectFrom("principals")
      .select(["roles", "token_sha256"])
      .where("name", "=", name)
      .where("revoked_at", "is", null)
      .executeTakeFirst()
  )
  return row && { roles: rolesOf(row), tokenSha256: row.token_sha256 }
})

const shown = (row: Row) => ({
  name: row.name,
  roles: rolesOf(row),
  addedAt: row.added_at,
  addedBy: row.added_by,
  rotatedAt: row.rotated_at,
  revokedAt: row.revoked_at,
  revokedBy: row.revoked_by
})

export const list = Effect.flatMap(Store, (store) =>
  Effect.map(
    store.run((db) => db.selectFrom("principals").selectAll().orderBy("name").execute()),
    (rows) => rows.map(shown)
  )
)

type Tx = Transaction<StoreTables>

/** In the writers' turn. Returns a sentence if it is refused. */
const changed = <A>(body: (tx: Tx, at: Instant.Instant, by: string) => Promise<A | string>) =>
  Effect.gen(function* () {
    const store = yield* Store
    const at = Instant.fromMillis(yield* Clock.currentTimeMillis)
    const by = (yield* Principal) ?? ""
    const done = yield* store.transaction(async (tx) => {
      await oneAtATime(tx, "principals")
      return body(tx, at, by)
    })
    return typeof done === "string" ? yield* new VerbError({ message: done }) : (done as Exclude<A, string>)
  })

const named = (tx: Tx, name: string) =>
  tx.selectFrom("principals").selectAll().where("name", "=", name).executeTakeFirst()

const isName = /^[a-z][a-z0-9._@-]{0,63}$/

const noName =
  "The name of a principal begins with a letter and has up to 64 of these: a-z, 0-9, dot, hyphen, underscore, @. " +
  "`admin` is taken."

const noRole = "Give at least one role: read, decide or operate."

const fresh = () => {
  const token = `${prefix}${randomBytes(32).toString("hex")}`
  return { token, token_sha256: digest(token) }
}

/** Each role once, in a fixed order. */
const kept = (roles: ReadonlyArray<Role>): string => JSON.stringify([...new Set(roles)].toSorted())

export const add = Effect.fn("Principals.add")(function* (name: string, roles: ReadonlyArray<Role>) {
  if (!isName.test(name) || name === "admin") return yield* new VerbError({ message: noName })
  if (roles.length === 0) return yield* new VerbError({ message: noRole })
  const { token, token_sha256 } = fresh()
  return yield* changed(async (tx, added_at, added_by) => {
    const before = await named(tx, name)
    if (before !== undefined) return taken(before)
    const row = { name, roles: kept(roles), token_sha256, added_at, added_by }
    await tx
      .insertInto("principals")
      .values({ ...row, rotated_at: null, revoked_at: null, revoked_by: null })
      .execute()
    return { name, roles: rolesOf(row), token }
  })
})

const taken = ({ name, revoked_at: at }: Row): string =>
  at === null
    ? `There is a principal ${name}: \`siteledger principal rotate\` gives it another token or other roles.`
    : `${name} was revoked at ${at}, and no name is used twice: choose another.`

const missing = (name: string, row: Row | undefined): string | undefined => {
  if (row === undefined) return `There is no principal ${name}.`
  return row.revoked_at === null ? undefined : `${name} was revoked at ${row.revoked_at}.`
}

/** The previous token ends. Undefined to leave the roles unchanged. */
export const rotate = Effect.fn("Principals.rotate")(function* (name: string, roles: ReadonlyArray<Role> | undefined) {
  if (roles?.length === 0) return yield* new VerbError({ message: noRole })
  const { token, token_sha256 } = fresh()
  return yield* changed(async (tx, rotated_at) => {
    const before = await named(tx, name)
    const why = missing(name, before)
    if (before === undefined || why !== undefined) return why ?? ""
    const row = { token_sha256, rotated_at, roles: roles === undefined ? before.roles : kept(roles) }
    await tx.updateTable("principals").set(row).where("name", "=", name).execute()
    return { name, roles: rolesOf(row), token }
  })
})

export const revoke = Effect.fn("Principals.revoke")(function* (name: string) {
  return yield* changed(async (tx, revoked_at, revoked_by) => {
    const before = await named(tx, name)
    const why = missing(name, before)
    if (before === undefined || why !== undefined) return why ?? ""
    await tx.updateTable("principals").set({ revoked_at, revoked_by }).where("name", "=", name).execute()
    return shown({ ...before, revoked_at, revoked_by })
  })
})
