/**
 * Principals in the Store, on both engines: a token is known by its hash alone, and ends when it is revoked or replaced.
 * docs/principals.md says which verb needs which role; after a change: UPDATE_DOCS=1 npx vitest run
 * test/Operate/Principals.test.ts
 */
import { hash } from "node:crypto"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { AdminApi, neededFor, type VerbName } from "../../src/Operate/AdminApi.ts"
import { roles } from "../../src/Operate/AdminApi/Verb.ts"
import * as Principals from "../../src/Operate/Principals.ts"
import { Principal } from "../../src/Runtime/Principal.ts"
import { Store } from "../../src/Stores/Store.ts"
import { engines } from "../Stores/StoreEngines.ts"

const as =
  (principal: string) =>
  <A, E, R>(body: Effect.Effect<A, E, R>) =>
    Effect.provideService(body, Principal, principal)

const rows = Effect.flatMap(Store, (store) => store.run((db) => db.selectFrom("principals").selectAll().execute()))

const why = <A, E extends { readonly message: string }, R>(body: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.flip(body), ({ message }) => message)

for (const { isSkipped, name, place } of engines) {
  const test = <E>(what: string, body: Effect.Effect<void, E, Store>) =>
    it.live(what, () => Effect.scoped(Effect.flatMap(place, ({ layer }) => Effect.provide(body, layer))))

  describe.skipIf(isSkipped)(`principals in ${name}`, () => {
    test(
      "have tokens of 256 random bits, of which the store has the hash alone",
      Effect.gen(function* () {
        const { token } = yield* as("os:root")(Principals.add("ada", ["decide", "read", "decide"]))
        const other = yield* as("admin")(Principals.add("ben", ["operate"]))
        assert.match(token, /^slp_[0-9a-f]{64}$/)
        assert.notStrictEqual(token, other.token)
        assert.deepStrictEqual(yield* Principals.find(token), { name: "ada", roles: ["decide", "read"] })
        assert.deepStrictEqual(yield* Principals.find(other.token), { name: "ben", roles: ["operate"] })
        for (const wrong of ["", "slp_", `${token}0`, token.slice(0, -1), token.toUpperCase(), hash("sha256", token)]) {
          assert.isUndefined(yield* Principals.find(wrong), wrong)
        }
        const [ada] = yield* rows
        assert.deepInclude(ada, { added_by: "os:root", token_sha256: hash("sha256", token), revoked_at: null })
        assert.notInclude(JSON.stringify([yield* rows, yield* Principals.list]), token.slice(4))
      })
    )

    test(
      "lose their token when it is revoked or replaced, and their name is never given again",
      Effect.gen(function* () {
        const first = yield* Principals.add("ada", ["decide"])
        const next = yield* Principals.rotate("ada", undefined)
        assert.deepStrictEqual(next.roles, ["decide"])
        assert.isUndefined(yield* Principals.find(first.token))
        const reading = yield* Principals.rotate("ada", ["read"])
        assert.isUndefined(yield* Principals.find(next.token))
        assert.deepStrictEqual(yield* Principals.find(reading.token), { name: "ada", roles: ["read"] })
        const revoked = yield* as("admin")(Principals.revoke("ada"))
        assert.strictEqual(revoked.revokedBy, "admin")
        assert.isUndefined(yield* Principals.find(reading.token))
        const sentences = yield* Effect.all([
          why(Principals.add("ada", ["read"])),
          why(Principals.rotate("ada", undefined)),
          why(Principals.revoke("ada"))
        ])
        for (const sentence of sentences) assert.match(sentence, /^ada was revoked at 2\d{3}-/)
      })
    )

    test(
      "have names that tell them apart, and a role",
      Effect.gen(function* () {
        for (const wrong of ["", "Ada", "7", "a b", "os:root", "admin", "a".repeat(65), "ada\n"]) {
          assert.match(yield* why(Principals.add(wrong, ["read"])), /^The name of a principal begins with a letter/)
        }
        assert.match(yield* why(Principals.add("ada", [])), /^Give at least one role/)
        yield* Principals.add("ada", ["read"])
        assert.match(yield* why(Principals.add("ada", ["read"])), /^There is a principal ada/)
        assert.match(yield* why(Principals.revoke("ben")), /^There is no principal ben/)
        assert.match(yield* why(Principals.rotate("ada", [])), /^Give at least one role/)
        assert.strictEqual((yield* rows).length, 1)
      })
    )
  })
}

describe("a role", () => {
  it("lets do what it is for, and read; none lets manage principals", () => {
    const may = (needed: (typeof roles)[number] | "admin") =>
      roles.filter((role) => Principals.may([role], needed)).join(" ")
    assert.deepStrictEqual(
      [may("read"), may("decide"), may("operate"), may("admin")],
      ["read decide operate", "decide", "operate", ""]
    )
    assert.isFalse(Principals.may([], "read"))
  })

  it("has its verbs in docs/principals.md", () => {
    const file = join(import.meta.dirname, "../../docs/principals.md")
    const verbs = Object.keys(AdminApi.groups.verbs.endpoints) as ReadonlyArray<VerbName>
    const row = (needed: (typeof roles)[number] | "admin") => {
      const names = verbs.filter((name) => neededFor(name) === needed).map((name) => `\`${name}\``)
      return `| ${needed === "admin" ? "the admin token, or the worker's user" : `\`${needed}\``} | ${names.join(", ")} |`
    }
    const rows = [...roles, "admin" as const].map(row).join("\n")
    const heading = "| needs | verbs, as `POST /verbs/…` names them |\n|---|---|\n"
    const written = readFileSync(file, "utf8")
    const [before = "", after = ""] = written.split(heading)
    const expected = `${before}${heading}${rows}${after.slice(after.indexOf("\n\n"))}`
    if (process.env["UPDATE_DOCS"] !== undefined) writeFileSync(file, expected)
    assert.strictEqual(readFileSync(file, "utf8"), expected)
  })
})
