/** A document that YAML would take hours for, or that has no end, is given up in bounded time and memory. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { documentAt } from "../../../cli/discover/Read.ts"
import { temporaryFolder } from "../../Folders.ts"

const file = (content: string): string => {
  const path = join(temporaryFolder(), "openapi.yaml")
  writeFileSync(path, content)
  return path
}

it.effect("YAML that takes too long is given up, and its thread ends", () =>
  Effect.gen(function* () {
    // Each line makes the parser copy all lines before it.
    const path = file(`openapi: [\n${"  a, a, a,\n".repeat(2_000_000)}]\n`)
    const reading = yield* Effect.forkChild(Effect.flip(documentAt({ kind: "file", path })))
    yield* TestClock.adjust("61 seconds")
    const { message } = yield* Fiber.join(reading)
    assert.strictEqual(message, `${path} takes more than 60 seconds to read as YAML. Give it as JSON.`)
  })
)

it.effect("what has no end is read up to a bound", () =>
  Effect.gen(function* () {
    const { message } = yield* Effect.flip(documentAt({ kind: "file", path: "/dev/zero" }))
    assert.strictEqual(message, "/dev/zero is larger than 128 MiB, the most that is read.")
  })
)

it.live("aliases that would unfold to more than the memory are read as they are written", () =>
  Effect.gen(function* () {
    const levels = Array.from({ length: 60 }, (_, n) => `l${n}: &l${n} { a: *l${n - 1}, b: *l${n - 1} }`)
    const path = file(`openapi: 3.1.0\nl: &l-1 { a: 1 }\n${levels.join("\n")}\npaths: {}\n`)
    const document = yield* documentAt({ kind: "file", path })
    assert.strictEqual(document.openapi, "3.1.0")
  })
)
