import { spawn } from "node:child_process"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Queue } from "effect"
import type { SandboxOptions } from "../../sandbox/Sandbox.ts"
import * as CallbackReceiver from "./CallbackReceiver.ts"
import { subscribeAt, temporaryStatePath } from "./Outliving.ts"

/** Returns the address once it listens; killed with -9 when the scope closes. */
const killable = (options: SandboxOptions) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const script = fileURLToPath(new URL("killable-sandbox.ts", import.meta.url))
      return spawn(process.execPath, [script, JSON.stringify(options)], { stdio: ["ignore", "pipe", "inherit"] })
    }),
    (child) =>
      Effect.callback((resume) => {
        child.once("exit", () => resume(Effect.void))
        child.kill("SIGKILL")
      })
  ).pipe(
    Effect.flatMap((child) =>
      Effect.callback<string>((resume) => {
        createInterface(child.stdout).once("line", (address) => resume(Effect.succeed(address)))
      })
    )
  )

describe("A sandbox killed with kill -9 over and over", () => {
  it.live("loses no event and gives no event two bodies", () =>
    Effect.gen(function* () {
      const total = 600
      const statePath = yield* temporaryStatePath
      const bodies = new Map<string, Set<string>>()
      const accepted = new Set<string>()
      const acceptances = yield* Queue.unbounded<void>()
      const pings = new Set<string>()
      let asked = 0
      const receiver = yield* CallbackReceiver.make((received) =>
        Effect.gen(function* () {
          const id = received.headers["x-service-event-id"] ?? ""
          if (CallbackReceiver.eventType(received) === "webhook.ping") pings.add(id)
          else bodies.set(id, (bodies.get(id) ?? new Set()).add(CallbackReceiver.text(received)))
          if (asked++ % 7 === 6) return 503
          if (bodies.has(id)) accepted.add(id)
          yield* Queue.offer(acceptances, undefined)
          return 200
        })
      )
      const options: SandboxOptions = { statePath, eventsPerSecond: 500, maxEvents: total, timeScale: 600 }
      for (let life = 1; accepted.size < total; life++) {
        const oneLife = Effect.gen(function* () {
          const address = yield* killable(options)
          if (life === 1) yield* subscribeAt(address, receiver.url)
          while (accepted.size < Math.min(total, life * 200)) yield* Queue.take(acceptances)
        })
        yield* Effect.scoped(oneLife)
      }
      assert.isTrue([...bodies.values()].every((different) => different.size === 1))
      assert.strictEqual(bodies.size, total)
      assert.strictEqual(pings.size, 1)
    }).pipe(Effect.provide(NodeHttpClient.layerUndici))
  )
})
