/**
 * Opening certificates from a file: all or nothing, with messages that are safe to print on a terminal.
 */
import { writeFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { readOpenings } from "../../src/Ledger/People/Opening.ts"
import { folder } from "./Started.ts"

const readLines = (lines: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const path = `${yield* folder}/opening.csv`
    writeFileSync(path, ["ipc,amount,certificate", ...lines, ""].join("\n"))
    return yield* readOpenings(path)
  })

describe("a file of opening certificates", () => {
  it.effect("is read with its amounts as written", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* readLines(["007,118750.25,C-12", "8,1,C-13"]), [
        { ipcId: "007", amount: "118750.2500", certificate: "C-12" },
        { ipcId: "8", amount: "1.0000", certificate: "C-13" }
      ])
    }).pipe(Effect.scoped)
  )

  it.effect("in JSON keeps every digit of its numbers", () =>
    Effect.gen(function* () {
      const path = `${yield* folder}/opening.json`
      const amounts = ["123456789012345678901234.5678", "0.1000", "7", '"8.50"']
      const objects = amounts.map((amount, index) => `{"ipc":${index},"amount":${amount},"certificate":"C"}`)
      writeFileSync(path, `[${objects.join(", ")}]`)
      assert.deepStrictEqual(
        (yield* readOpenings(path)).map(({ amount, ipcId }) => [ipcId, amount]),
        [
          ["0", "123456789012345678901234.5678"],
          ["1", "0.1000"],
          ["2", "7.0000"],
          ["3", "8.5000"]
        ]
      )
    }).pipe(Effect.scoped)
  )

  it.effect("with an id that an engine can't hold is refused, and one of 2,000 bytes is read", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* readLines([`${"7".repeat(2000)},1,C`]))[0]?.ipcId.length, 2000)
      const { message } = yield* Effect.flip(readLines([`${"7".repeat(5000)},1,C`, "a\0b,1,C", "8,1,C\0"]))
      assert.match(
        message,
        /line 2: the ipc is longer than 2000 bytes; line 3: it holds a NUL; line 4: it holds a NUL\.$/
      )
    }).pipe(Effect.scoped)
  )

  it.effect("that names an IPC twice is refused with a short, printable message", () =>
    Effect.gen(function* () {
      const ipc = `\u001b[2J\u202e7${"x".repeat(1900)}`
      const { message } = yield* Effect.flip(readLines([`${ipc},1,C-1`, `${ipc},2,C-2`]))
      assert.match(message, /line 3: \\x1b\[2J\\u202e7x+… is in line 2 already\.$/)
      assert.notMatch(message, /[\p{Cc}\p{Bidi_Control}]/u)
      assert.isBelow(/line 3: (.*) is in/.exec(message)?.[1]?.length ?? 99, 41)
    }).pipe(Effect.scoped)
  )
})
