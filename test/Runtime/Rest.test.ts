/** A thread that has been idle for a while collects its garbage, once after each time that it has worked. */
import { execFileSync } from "node:child_process"
import { setImmediate } from "node:timers/promises"
import { expect, it } from "vitest"
import { alsoGivingBack, collectingEvery, restingAfter, restingBetween } from "../../src/Runtime/Rest.ts"

it("rests once after its last work, and again after more", async () => {
  let rests = 0
  let told = Promise.withResolvers<void>()
  const worked = restingAfter(100, () => {
    rests++
    told.resolve()
  })
  for (let turn = 0; turn < 1000; turn++) {
    worked()
    await setImmediate()
  }
  await told.promise
  told = Promise.withResolvers()
  worked()
  await told.promise
  expect(rests).toBe(2)
})

it("rests between two pieces of work, and never during one", async () => {
  let isWorking = false
  let told = Promise.withResolvers<void>()
  const { begin, end } = restingBetween(1, () => {
    expect(isWorking).toBe(false)
    told.resolve()
  })
  const others = Array.from({ length: 3 }, () => Promise.withResolvers<void>())
  const later = others.map(({ promise, resolve }) => [promise, restingAfter(2, resolve)] as const)
  await told.promise
  isWorking = true
  begin()
  begin()
  end()
  for (const [promise, worked] of later) {
    worked()
    await promise
  }
  told = Promise.withResolvers()
  isWorking = false
  end()
  await told.promise
})

const forgotten = (): WeakRef<object> => new WeakRef({})

it("gives back what nothing refers to any more", { timeout: 10_000 }, async () => {
  const one = forgotten()
  restingAfter(1)()
  while (one.deref() !== undefined) await setImmediate()
})

it("collects at once, and not again before its time", { timeout: 10_000 }, async () => {
  const collect = collectingEvery(60_000)
  const first = forgotten()
  // What a turn has asked a reference for stays until its end.
  await setImmediate()
  collect()
  expect(first.deref()).toBeUndefined()
  const second = forgotten()
  await setImmediate()
  collect()
  expect(second.deref()).toBeDefined()
})

it("gives back what others hold, until they end that", () => {
  let given = 0
  const end = alsoGivingBack(() => given++)
  collectingEvery(1)()
  expect(given).toBe(1)
  end()
  collectingEvery(1)()
  expect(given).toBe(1)
})

/** In a process of its own, which has compiled little else. */
const compiled = `
import { getHeapCodeStatistics } from "node:v8"
import { runInThisContext } from "node:vm"
import { collectingEvery } from "${new URL("../../src/Runtime/Rest.ts", import.meta.url).href}"

const names = Array.from({ length: 2000 }, (_, n) => "f" + n)
const source = names.map((name, n) => \`const \${name} = (x) => [x + \${n}.5, x * \${n}.25, { x, of: "\${name}" }]\`)
const functions = runInThisContext(source.join("\\n") + "; [" + names.join(",") + "]")
const said = () => JSON.stringify(functions.map((each) => each(1)))
const bytes = () => {
  gc()
  return getHeapCodeStatistics().bytecode_and_metadata_size
}
const first = said()
const before = bytes()
collectingEvery(1)()
const after = getHeapCodeStatistics().bytecode_and_metadata_size
console.log(JSON.stringify({ before, after, isSame: said() === first, again: bytes() }))
`

it("drops compiled code, which other collections keep, and the functions still work", () => {
  const flags = ["--disable-warning=ExperimentalWarning", "--expose-gc", "--input-type=module", "--eval", compiled]
  const { after, again, before, isSame } = JSON.parse(execFileSync(process.execPath, flags, { encoding: "utf8" }))
  expect(before).toBeGreaterThan(600_000)
  expect(after).toBeLessThan(before / 2)
  expect(isSame).toBe(true)
  expect(again).toBeGreaterThan(before / 4)
})
