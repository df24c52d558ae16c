/** A file that appears whole or not at all, readable only by its owner, and that replaces nothing unless asked to. */
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { utf8 } from "../../../src/Ledger/Files/Format.ts"
import * as WholeFile from "../../../src/Ledger/Files/WholeFile.ts"
import { LedgerError } from "../../../src/Ledger/People/Decide.ts"
import { temporaryFolder } from "../../Folders.ts"

const write = (path: string, text: string, isReplacing = false) =>
  WholeFile.write({ path, isReplacing }, (put) => Effect.andThen(put(utf8(text)), put(utf8("."))))

const messageOf = (effect: Effect.Effect<unknown, LedgerError>) =>
  Effect.map(Effect.flip(effect), ({ message }) => message)

describe("a file of the journal", () => {
  it.live("has all pieces in order, and is readable by its owner only", () =>
    Effect.gen(function* () {
      const path = join(temporaryFolder(), "books.csv")
      yield* write(path, "a")
      assert.strictEqual(readFileSync(path, "utf8"), "a.")
      assert.strictEqual(statSync(path).mode & 0o777, 0o600)
      assert.match(yield* messageOf(write(path, "b")), /books\.csv already exists and is left as it is/)
      assert.strictEqual(readFileSync(path, "utf8"), "a.")
      yield* write(path, "b", true)
      assert.strictEqual(readFileSync(path, "utf8"), "b.")
    })
  )

  it.live("leaves nothing behind if it isn't finished, and the old one as it was", () =>
    Effect.gen(function* () {
      const folder = temporaryFolder()
      const path = join(folder, "books.csv")
      const failing = (isReplacing: boolean) =>
        WholeFile.write({ path, isReplacing }, (put) =>
          Effect.andThen(put(utf8("half")), new LedgerError({ message: "entry 7 is refused" }))
        )
      assert.strictEqual(yield* messageOf(failing(false)), "entry 7 is refused")
      assert.deepStrictEqual(readdirSync(folder), [])
      writeFileSync(path, "old")
      assert.strictEqual(yield* messageOf(failing(true)), "entry 7 is refused")
      assert.deepStrictEqual(readdirSync(folder), ["books.csv"])
      assert.strictEqual(readFileSync(path, "utf8"), "old")
    })
  )

  it.live("replaces no file that appears meanwhile, no folder, and needs its own", () =>
    Effect.gen(function* () {
      const folder = temporaryFolder()
      const path = join(folder, "books.csv")
      const overtaken = WholeFile.write({ path, isReplacing: false }, (put) =>
        Effect.andThen(
          put(utf8("late")),
          Effect.sync(() => writeFileSync(path, "first"))
        )
      )
      assert.match(yield* messageOf(overtaken), /already exists/)
      assert.strictEqual(readFileSync(path, "utf8"), "first")
      mkdirSync(join(folder, "inner"))
      assert.match(yield* messageOf(write(join(folder, "inner"), "a", true)), /can't be written: it isn't a file/)
      assert.match(yield* messageOf(write(join(folder, "none", "a"), "a")), /there is no folder .*none\./)
      assert.deepStrictEqual(readdirSync(folder).toSorted(), ["books.csv", "inner"])
    })
  )
})
