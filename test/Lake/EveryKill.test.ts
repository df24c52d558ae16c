/**
 * The process that exports to S3 is killed with -9 at every single call, in turn: before the store carries it out, and
 * after a write is done, without an answer. Readers see a whole export each time, and the next export tidies up. The
 * short form takes one call of each operation.
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { randomBytes } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option, Semaphore } from "effect"
import * as Verify from "../../src/Lake/Verify.ts"
import { main } from "../GlobalSetup/Main.ts"
import { patience, sample, seed } from "../Long.ts"
import { run } from "./ExportWorld.ts"
import { assertTidy, copied, environment, isWrite, type Prepared, prepare, readExport, within } from "./S3World.ts"

const killsAtOnce = 2

/** `siteledger export` as a process; resolves to the signal that ended it, or its exit code and what it printed. */
const exporter = (prepared: Prepared) => {
  const env = { ...environment(prepared), LOG_LEVEL: "warn" }
  const child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", main, "export"], { env })
  let stderr = ""
  child.stderr.on("data", (chunk: Buffer) => (stderr += String(chunk)))
  child.stdout.resume()
  const ended = once(child, "close") as Promise<[number | null, NodeJS.Signals | null]>
  return { child, ended: ended.then(([code, signal]) => signal ?? `${code} ${stderr}`) }
}

interface Known {
  readonly operation: string
  /** A write that the store carried out. */
  readonly isDone: boolean
}

const callsOf = (prepared: Prepared) =>
  Effect.scoped(
    Effect.gen(function* () {
      const copy = yield* copied(prepared)
      const { stub } = copy
      const done = new Set<number>()
      stub.onCall = ({ number, operation }, moment) => {
        if (moment === "after" && isWrite(operation)) done.add(number)
        return undefined
      }
      assert.strictEqual(yield* Effect.promise(() => exporter(copy).ended), "0 ")
      readExport(stub)
      assertTidy(copy)
      return stub.calls.map(({ number, operation }): Known => ({ operation, isDone: done.has(number) }))
    })
  )

const killed = (prepared: Prepared, here: Semaphore.Semaphore, number: number, when: "before" | "after") =>
  Effect.scoped(
    Effect.gen(function* () {
      const copy = yield* copied(prepared)
      const { stub } = copy
      const before = readExport(stub).run
      const { child, ended } = exporter(copy)
      stub.onCall = async (call, moment) => {
        if (call.number !== number || moment !== when) return undefined
        child.kill("SIGKILL")
        await ended
        return "cut"
      }
      assert.strictEqual(yield* Effect.promise(() => ended), "SIGKILL", `call ${number}`)
      const pointerIsMoved = stub.calls.some(
        ({ key, operation }) => operation === "PutObject" && key.endsWith("/latest.json")
      )
      stub.reset()
      if (!pointerIsMoved) assert.strictEqual(readExport(stub).run, before)
      else readExport(stub)
      const next = Effect.gen(function* () {
        const { run: id } = yield* run
        const verified = yield* Verify.verify(Option.none(), () => Effect.void)
        assert.deepStrictEqual(Verify.faultsOf(verified), [])
        assert.deepStrictEqual([readExport(stub).run, verified.run], [id, id])
      })
      yield* here.withPermit(within(copy, next))
      assertTidy(copy)
    })
  )

const atEvery = (prepared: Prepared, isMeant: (operation: string) => boolean) =>
  Effect.gen(function* () {
    const here = yield* Semaphore.make(1)
    const calls = yield* callsOf(prepared)
    const kills = calls.flatMap(({ isDone, operation }, index) => {
      if (!isMeant(operation)) return []
      const moments = isDone ? (["before", "after"] as const) : (["before"] as const)
      return moments.map((when) => ({ number: index + 1, operation, when }))
    })
    yield* Effect.forEach(
      sample(kills, ({ operation, when }) => `${operation} ${when}`),
      ({ number, when }) => killed(prepared, here, number, when),
      { concurrency: killsAtOnce, discard: true }
    )
    return calls.map(({ operation }) => operation).filter(isMeant)
  })

describe(`an export to S3, seed ${seed}`, () => {
  it.live(
    "whose process is killed at any of its calls leaves a whole export, and the next one tidies up",
    () =>
      Effect.gen(function* () {
        const calls = yield* atEvery(yield* prepare(), () => true)
        assert.isAbove(calls.length, 30)
      }),
    patience
  )

  it.live(
    "whose process is killed at any part of a file leaves parts that the next one ends",
    () =>
      Effect.gen(function* () {
        const prepared = yield* prepare(randomBytes(9 * 1024 * 1024).toString("base64"))
        const calls = yield* atEvery(prepared, (operation) => /^(Create|Upload|Complete)/.test(operation))
        assert.sameMembers([...new Set(calls)], ["CreateMultipartUpload", "UploadPart", "CompleteMultipartUpload"])
      }),
    patience
  )
})
