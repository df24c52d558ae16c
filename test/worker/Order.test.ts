/** One history in some orders, with duplicates, as signed requests: always the same rows. Apply/Order.test.ts has many. */
import { assert, describe, it } from "@effect/vitest"
import { rounds } from "../Long.ts"
import { seeded } from "../Seeded.ts"
import { disorder, lives, outcome } from "./Disorder.ts"
import { applied } from "./Past.ts"
import { model, read } from "./Story.ts"
import { World } from "./World.ts"

const orders = rounds(2, 12)

describe("one history of events", () => {
  it(`ends in the same rows in ${orders} orders of signed requests`, async () => {
    const found = new Set<string>()
    for (let seed = 1; seed <= orders; seed++) {
      const of = seeded(1000 + seed)
      await using world = await World.open({ projects: 0 })
      const worker = world.start()
      await worker.live()
      const sent = disorder(of)
      const gulp = of.pick([1, 16, 64])
      for (let from = 0; from < sent.length; from += gulp) {
        const answers = sent.slice(from, from + gulp).map((event) => world.server.deliver(event))
        for (const status of await Promise.all(answers)) assert.strictEqual(status, 200)
      }
      await applied(worker)
      await worker.stop()
      const query = (text: string) => world.query(text)
      assert.deepStrictEqual(await read(query), model(lives), `seed ${1000 + seed}`)
      found.add(await outcome(query))
    }
    assert.strictEqual(found.size, 1)
  })
})
