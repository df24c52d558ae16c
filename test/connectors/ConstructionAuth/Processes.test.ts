/**
 * One login and several processes, some of them killed: the service is asked once, and the file is whole.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { readdirSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Logger } from "effect"
import { until } from "../../RunningWorker.ts"
import { seeded } from "../../Seeded.ts"
import type { AuthServer } from "./AuthServer.ts"
import { drop, environment, get, loggedIn, storedLogin, tokens } from "./Tokens.ts"
import { within } from "./Within.ts"

const program = fileURLToPath(new URL("refreshing-child.ts", import.meta.url))

interface Line {
  readonly ready?: boolean
  readonly token?: string
  readonly log?: string
}

class Child implements Disposable {
  readonly printed: Array<Line> = []
  readonly #process: ChildProcess
  #errors = ""
  #unread = ""

  constructor(env: Record<string, string>) {
    this.#process = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", program], { env })
    this.#process.stderr?.on("data", (chunk: Buffer) => (this.#errors += String(chunk)))
    this.#process.stdout?.on("data", (chunk: Buffer) => {
      const lines = (this.#unread + String(chunk)).split("\n")
      this.#unread = lines.pop() ?? ""
      this.printed.push(...lines.map((line) => JSON.parse(line) as Line))
    })
  }

  get tokens(): ReadonlyArray<string> {
    return this.printed.flatMap(({ token }) => token ?? [])
  }

  async ready(): Promise<this> {
    return until("the child is ready", async () => {
      if (this.#process.exitCode !== null) throw new Error(this.#errors)
      return this.printed.some(({ ready }) => ready) ? this : undefined
    })
  }

  ask(): void {
    this.#process.stdin?.write("\n")
  }

  async next(count: number): Promise<string> {
    return until("a token", async () => {
      if (this.#process.exitCode !== null) throw new Error(this.#errors)
      return this.tokens[count - 1]
    })
  }

  async kill(): Promise<void> {
    this.#process.kill("SIGKILL")
    await once(this.#process, "close")
  }

  [Symbol.dispose](): void {
    this.#process.kill("SIGKILL")
  }
}

const inTime = <A>(body: () => Promise<A>) => Effect.promise(body)

describe("two processes", () => {
  it.live("that need a refresh at the same time make one, and both use its token", () =>
    within({}, (server, dataDir) =>
      Effect.gen(function* () {
        yield* loggedIn(server)
        yield* inTime(async () => {
          using first = new Child(environment(server, dataDir))
          using second = new Child(environment(server, dataDir))
          await Promise.all([first.ready(), second.ready()])
          for (const child of [first, second]) {
            child.ask()
            await child.next(1)
          }
          assert.strictEqual(server.refreshes, 0)
          assert.deepStrictEqual(first.tokens, second.tokens)
          server.expire()
          const isWaiting = ({ printed }: Child) => printed.some(({ log }) => log?.includes("waiting for it") === true)
          // Answered only when the other process waits for the lock, or has sent a request too, which it must not.
          server.settings.hold = () =>
            until("the other process waits", async () =>
              isWaiting(first) || isWaiting(second) || server.refreshes > 1 ? true : undefined
            )
          for (const child of [first, second]) child.ask()
          const both = await Promise.all([first.next(2), second.next(2)])
          assert.strictEqual(both[0], both[1])
          assert.isTrue(server.isGood(both[0]))
          assert.strictEqual(server.refreshes, 1)
        })
      })
    )
  )
})

describe("kill -9", () => {
  it.live("before the service answers leaves the login as it was, and its lock free", () =>
    within({}, (server, dataDir) =>
      Effect.gen(function* () {
        const { access, refresh } = yield* loggedIn(server)
        yield* inTime(async () => {
          using child = await new Child(environment(server, dataDir)).ready()
          const killed = Promise.withResolvers<void>()
          server.settings.hold = () => child.kill().then(killed.resolve)
          server.settings.refusal = { status: 503 }
          for (let count = 0; count < 2; count++) child.ask()
          await killed.promise
        })
        server.settings.hold = () => Promise.resolve()
        server.settings.refusal = null
        const found = yield* storedLogin
        assert.strictEqual(found._tag === "Active" ? found.tokens.refresh : "", refresh)
        yield* drop(access)
        assert.isTrue(server.isGood(yield* get))
        assert.strictEqual(server.refreshes, 2)
      })
    )
  )

  const seed = 20_261_120
  it.live(`at any instant leaves a login that is valid or cleanly ended, never half a file (seed ${seed})`, () =>
    within({}, (server, dataDir) =>
      Effect.gen(function* () {
        const random = seeded(seed)
        const given = environment(server, dataDir)
        for (let round = 0; round < 6; round++) {
          if ((yield* storedLogin)._tag !== "Active") yield* loggedIn(server)
          yield* inTime(async () => {
            using child = await new Child(given).ready()
            // Refreshes one after the other, one of them interrupted somewhere.
            const asked = 2 + random.below(6)
            for (let count = 0; count < asked; count++) child.ask()
            await child.next(1 + random.below(asked - 1))
            await child.kill()
          })
          assert.strictEqual((yield* storedLogin)._tag, "Active")
          yield* goodOrEnded(server).pipe(Effect.provide([tokens(given), Logger.layer([])]))
          assert.includeMembers(["key", "key.copy", "login", "login.lock", "login.new"], readdirSync(dataDir))
        }
      })
    )
  )
})

/** The next process has a valid token, or learns from the service that the login has ended. */
const goodOrEnded = (server: AuthServer) =>
  Effect.gen(function* () {
    const token = yield* get
    if (server.isGood(token)) return
    yield* drop(token)
    const fiber = yield* Effect.forkChild(get)
    while ((yield* storedLogin)._tag !== "Ended") yield* Effect.sleep("5 millis")
    yield* Fiber.interrupt(fiber)
  })
