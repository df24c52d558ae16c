/** The basis of a 2xx: the settings of the connection that writes the delivery, and the fsync before the answer. */
import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { sql } from "kysely"
import * as Sqlite from "../../../src/Stores/Sqlite/Store.ts"
import { Store } from "../../../src/Stores/Store.ts"
import { delivery } from "../../Stores/Postgres/World.ts"
import { deliver, signedRequest } from "./Running.ts"

const child = fileURLToPath(new URL("receiving-child.ts", import.meta.url))

const onDisk = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "siteledger-durable-"))),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true }))
)

describe("a 2xx of the embedded engine", () => {
  it.effect("is answered by a connection that flushes every commit", () =>
    Effect.gen(function* () {
      const file = join(yield* onDisk, "store.sqlite")
      const found = yield* Effect.gen(function* () {
        const store = yield* Store
        yield* Effect.promise(() => store.deliveries.receive([delivery("a")]))
        const pragma = (name: string) =>
          Effect.map(
            store.run((db) => sql<Record<string, unknown>>`pragma ${sql.raw(name)}`.execute(db)),
            ({ rows: [row] }) => Object.values(row ?? {})[0]
          )
        return [yield* pragma("journal_mode"), yield* pragma("synchronous"), yield* pragma("foreign_keys")]
      }).pipe(Effect.provide(Sqlite.layerAt(file)))
      const full = 2
      assert.deepStrictEqual(found, ["wal", full, 1])
    })
  )

  it("is sent after the segment is flushed, for every delivery", async (context) => {
    const { status } = spawnSync("strace", ["-f", "-y", "-e", "trace=fdatasync", "true"])
    if (status !== 0) {
      process.stderr.write(`skipped: ${context.task.name}: strace isn't installed, or may not trace here\n`)
      context.skip("strace isn't installed, or may not trace here")
    }
    const folder = mkdtempSync(join(tmpdir(), "siteledger-durable-"))
    try {
      const calls = join(folder, "calls")
      const traced = ["-f", "-y", "-e", "trace=pwrite64,pwritev,fdatasync,write,writev,sendmsg,sendto", "-o", calls]
      const given = [process.execPath, "--disable-warning=ExperimentalWarning", child, join(folder, "store.sqlite")]
      const receiver = spawn("strace", [...traced, ...given], { stdio: ["pipe", "pipe", "inherit"] })
      const ended = once(receiver, "close")
      const [port] = (await once(createInterface(receiver.stdout), "line")) as [string]
      for (const body of ["1", "2", "3"]) assert.strictEqual(await deliver(Number(port), signedRequest(body)), 200)
      receiver.stdin.end()
      await ended
      assert.deepStrictEqual(untilEachAnswer(readFileSync(calls, "utf8")), ["flushed", "flushed", "flushed"])
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})

/** It has returned; strace shows a call that another thread interrupts in two lines. */
const isFlush = (call: string): boolean =>
  / fdatasync\(\d+<[^>]*\/inbox\/\d+\.log>\) += 0/.test(call) || /<... fdatasync resumed>\) += 0/.test(call)

/** For each 200: how the segment was when it was sent. One thread writes and flushes, another one answers. */
const untilEachAnswer = (calls: string): ReadonlyArray<string> => {
  const states: Array<string> = []
  let state = "not written"
  for (const call of calls.split("\n")) {
    if (/ p?writev?(?:64)?\(\d+<[^>]*\/inbox\/\d+\.log>/.test(call)) state = "written"
    else if (isFlush(call)) state = state === "written" ? "flushed" : state
    else if (call.includes("HTTP/1.1 200")) {
      states.push(state)
      state = "not written"
    }
  }
  return states
}
