/**
 * Both copies of an archive exist and are verified before its deliveries leave, wherever the process dies; and only
 * what we wrote counts as a copy.
 */
import { assert, describe, it } from "@effect/vitest"
import { cpSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createSecretKey } from "node:crypto"
import { join } from "node:path"
import { Effect, Exit } from "effect"
import { archiveNext } from "../../../src/Lake/Archiving.ts"
import { Lake } from "../../../src/Lake/Lake.ts"
import { opened, sealed } from "../../../src/Stores/Archives/Archive.ts"
import * as ArchiveFile from "../../../src/Stores/Archives/ArchiveFile.ts"
import { contentAt, encode } from "../../../src/Stores/Segments/Frame.ts"
import { Store } from "../../../src/Stores/Store.ts"
import { patience, some } from "../../Long.ts"
import { framesOf } from "../Segments/Inbox.ts"
import { folder } from "../WarehouseEngines.ts"
import * as World from "./World.ts"
import { Log } from "../../Logged.ts"

/** Counts every effect outside the Store's own code, and dies at one of them, before it or after it. */
class Killer {
  calls: Array<string> = []
  readonly #at: number
  readonly #when: "after" | "before"

  constructor(at: number, when: "after" | "before") {
    this.#at = at
    this.#when = when
  }

  readonly #around = (name: string, effect: Effect.Effect<unknown, unknown>): Effect.Effect<unknown, unknown> =>
    Effect.suspend(() => {
      const isHere = this.calls.push(name) - 1 === this.#at
      const dies = Effect.die(new Error(`killed ${this.#when} ${name}`))
      if (!isHere) return effect
      return this.#when === "before" ? dies : Effect.andThen(effect, dies)
    })

  of<S extends object>(service: S): S {
    return Object.fromEntries(
      Object.entries(service).map(([name, value]) => {
        if (Effect.isEffect(value)) return [name, this.#around(name, value as Effect.Effect<unknown, unknown>)]
        if (typeof value !== "function") return [name, value]
        const call = value as (...given: ReadonlyArray<unknown>) => Effect.Effect<unknown, unknown>
        return [name, (...given: ReadonlyArray<unknown>) => this.#around(name, call(...given))]
      })
    ) as S
  }
}

const archiveOnce = (killer: Killer) =>
  Effect.gen(function* () {
    const archiving = killer.of(yield* World.archiving)
    const lake = killer.of(yield* Lake)
    return yield* Effect.provideService(archiveNext(archiving, World.young), Lake, lake)
  })

/** When its deliveries leave the store: the one moment after which nothing may be as before. */
const isLeaving = ({ name }: { readonly name: string }): boolean => name === "leave"

/** What is in the store's files and on both sides, without the random name of the inbox. */
const state = (path: string) => ({
  frames: framesOf(join(path, "store.sqlite")).map((frame) =>
    [frame.kind, frame.number, frame.kind === "hole" ? `${frame.through} ${frame.why}` : ""].join(" ")
  ),
  files: [...World.filesIn(join(path, "archive")), ...World.filesIn(World.lakeIn(path))].map((file) =>
    file.slice(path.length)
  )
})

describe("an archive", () => {
  it.live(
    "loses nothing wherever the process dies, and the next turn ends in the same state",
    () =>
      Effect.scoped(
        Effect.gen(function* () {
          const path = yield* World.filled
          const before = yield* World.inStores(path, World.handedOut)
          const whole = yield* folder
          cpSync(path, whole, { recursive: true })
          const killer = new Killer(-1, "before")
          yield* World.inStores(whole, Effect.andThen(archiveOnce(killer), World.archiveAll))
          const expected = state(whole)
          assert.deepStrictEqual(
            killer.calls,
            "finish make copy put fetch compare compare seal putText readText leave".split(" ")
          )
          const all = killer.calls.flatMap((name, at) =>
            (["before", "after"] as const).map((when) => ({ at, name, when }))
          )
          const [leaving, others] = [all.filter(isLeaving), all.filter((each) => !isLeaving(each))]
          for (const { at, name, when } of [...leaving, ...some(others, 4)]) {
            const what = `killed ${when} ${at} ${name}`
            const copy = yield* folder
            cpSync(path, copy, { recursive: true })
            const exit = yield* Effect.exit(World.inStores(copy, archiveOnce(new Killer(at, when))))
            assert.isTrue(Exit.isFailure(exit), what)
            const hasLeft = framesOf(join(copy, "store.sqlite")).some(({ kind }) => kind === "hole")
            assert.strictEqual(hasLeft, name === "leave" && when === "after", what)
            assert.deepStrictEqual(yield* World.inStores(copy, World.handedOut), before, what)
            yield* World.inStores(copy, World.archiveAll)
            assert.deepStrictEqual(state(copy), expected, what)
            assert.deepStrictEqual(yield* World.inStores(copy, World.handedOut), before, what)
          }
        })
      ),
    patience
  )

  it.live("that is named, and whose deliveries haven't left when the process dies, is finished by the next turn", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const path = yield* World.filled
        const whole = yield* folder
        cpSync(path, whole, { recursive: true })
        yield* World.inStores(whole, World.archiveAll)
        const dies = Effect.gen(function* () {
          const store = yield* Store
          const archiving = yield* World.archiving
          const leave: typeof archiving.leave = ({ deliveries, first, name, sha256, through }) =>
            store.transaction(async (tx) => {
              const row = { first_sequence: first, last_sequence: through, name, deliveries, sha256 }
              await tx.insertInto("archives").values(row).execute()
            })
          yield* archiveNext({ ...archiving, leave }, World.young)
        })
        yield* World.inStores(path, dies)
        assert.isFalse(framesOf(join(path, "store.sqlite")).some(({ kind }) => kind === "hole"))
        yield* World.inStores(path, World.archiveAll)
        assert.deepStrictEqual(state(path), state(whole))
      })
    )
  )

  it.live("doesn't let anything leave if what comes back from the lake differs", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const path = yield* World.filled
        const before = yield* World.inStores(path, World.handedOut)
        const archived = World.inStores(
          path,
          Effect.gen(function* () {
            const lake = yield* Lake
            const fetch: typeof lake.fetch = (from, to) =>
              Effect.tap(lake.fetch(from, to), () =>
                Effect.sync(() => {
                  const bytes = readFileSync(to)
                  bytes[bytes.length >> 1]! ^= 1
                  writeFileSync(to, bytes)
                })
              )
            return yield* Effect.provideService(archiveNext(yield* World.archiving, World.young), Lake, {
              ...lake,
              fetch
            })
          })
        )
        const error = yield* Effect.flip(archived)
        assert.match(error.message, /of the archive .*2026-01-000000000000001 has another SHA-256/)
        assert.isFalse(framesOf(join(path, "store.sqlite")).some(({ kind }) => kind === "hole"))
        assert.isFalse(World.filesIn(World.lakeIn(path)).some((file) => file.endsWith(".json")))
        assert.deepStrictEqual(yield* World.inStores(path, World.handedOut), before)
      })
    )
  )

  for (const [what, damage] of Object.entries({
    damaged: (file: string) => {
      const bytes = readFileSync(file)
      bytes[bytes.length >> 1]! ^= 1
      writeFileSync(file, bytes)
    },
    cut: (file: string) => writeFileSync(file, readFileSync(file).subarray(0, 100)),
    removed: (file: string) => rmSync(file)
  })) {
    it.live(`that is ${what} in the folder comes back from the lake; if it is there, too, both places are named`, () =>
      Effect.scoped(
        Effect.gen(function* () {
          const path = yield* World.filled
          const before = yield* World.inStores(path, World.handedOut)
          const log = new Log()
          yield* Effect.provide(World.inStores(path, World.archiveAll), log.layer)
          assert.deepInclude(log.of("archive.made")[0], { deliveries: 8, first: 1 })
          assert.match(String(log.saw("archive.made")["archive"]), /2026-02-000000000000009$/)
          const [file = ""] = World.archivesIn(path)
          const whole = readFileSync(file)
          damage(file)
          assert.deepStrictEqual(yield* Effect.provide(World.inStores(path, World.handedOut), log.layer), before)
          assert.include(String(log.saw("archive.damaged")["why"]), "2026-01-000000000000001")
          assert.isTrue(readFileSync(file).equals(whole))
          damage(file)
          damage(join(World.lakeIn(path), "_archive", file.slice(join(path, "archive").length)))
          const error = yield* Effect.flip(World.inStores(path, World.handedOut))
          assert.match(error.message, /The archive .*2026-01-000000000000001 in .*archive .*, and the one on .*lake /)
        })
      )
    )
  }

  it.live("that someone else wrote is refused, whatever its hashes say", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const path = yield* World.filled
        const before = yield* World.inStores(path, World.handedOut)
        yield* World.inStores(path, World.archiveAll)
        const [file = ""] = World.archivesIn(path)
        const document = file.replace(/parquet$/, "json")
        const ours = createSecretKey(readFileSync(join(path, "inbox", "key"), "latin1").trim(), "hex")
        const theirs = createSecretKey(Buffer.alloc(32, 9))
        const archive = opened(readFileSync(document, "utf8"), ours)
        assert(archive !== undefined)
        const planted = encode(
          {
            kind: "first",
            number: 1,
            body: Buffer.from(World.ncr(1, { severity: "none" })),
            labels: {
              eventId: "x",
              headerType: null,
              issuedAt: null,
              receivedAt: "2026-01-05T02:00:00.000000Z",
              headers: [],
              secret: null
            }
          },
          theirs
        )
        yield* Effect.promise(async () => {
          const [, ...others] = await ArchiveFile.read(file, ours)
          await ArchiveFile.write(file, [contentAt(planted, 0)!, ...others])
        })
        const sha256 = yield* Effect.promise(() => ArchiveFile.digestOf(file))
        for (const key of [theirs, ours]) {
          // Even under our own seal, a frame counts only with its own HMAC.
          writeFileSync(document, sealed({ ...archive, sha256 }, key))
          const theirsToo = readFileSync(file)
          assert.deepStrictEqual(yield* World.inStores(path, World.handedOut), before)
          assert.isFalse(readFileSync(file).equals(theirsToo))
          writeFileSync(file, theirsToo)
        }
      })
    )
  )
})
