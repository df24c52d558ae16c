import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { assert, describe, it } from "@effect/vitest"
import type { Change } from "../../../src/Domain/Change.ts"
import * as Version from "../../../src/Domain/Version.ts"
import * as Instant from "../../../src/Domain/Instant.ts"
import { merge, type Row } from "../../../src/Domain/Merge.ts"
import { resources } from "../../../src/Domain/Resource.ts"
import { patience, rounds as length } from "../../Long.ts"
import { seeded } from "../../Seeded.ts"

const entities = length(20_000, 100_000)
const rounds = 10
const batchEvents = 2000
const start = 1_763_600_000_000_000

const stages = [
  { status: "created", values: { project_id: "5", draft_amount: "100000.0000" } },
  { status: "submitted", values: { submitter: "ann", submitted_amount: "90000.0000" } },
  { status: "certified", values: { certified_amount: "80000.0000", certificate_url: "https://c.example/1" } },
  { status: "paid", values: { payment_reference: "PAY-1" } }
] as const

/** The events of a round in random order; the first four rounds cover each entity's whole life, in varying order. */
function* events(round: number, seed: number): Generator<Change> {
  const random = seeded(seed + round)
  for (const entity of random.shuffle(Array.from({ length: entities }, (_, index) => index))) {
    const stage = (entity + round) % stages.length
    const { status, values } = stages[stage] ?? stages[0]
    const micros = start + round * 1_000_000 + random.below(1_000_000)
    const at = Instant.fromMicros(micros)
    yield {
      entity: "ipcs",
      id: `IPC-${entity}`,
      version: Version.make(micros, stage + 1, `${entity}`.padStart(16, "0")),
      source: "event",
      seenAt: at,
      values: { ...values, [`${status}_at`]: at },
      misfits: {},
      extra: {}
    }
  }
}

const writeBatch = (rows: Map<string, Row>, batch: ReadonlyArray<Change>): void => {
  for (const [id, changes] of Map.groupBy(batch, (change) => change.id)) {
    const row = merge(resources.ipcs, rows.get(id), changes)
    if (row !== undefined) rows.set(id, row)
  }
}

const runRound = (rows: Map<string, Row>, round: number, seed: number): void => {
  let batch: Array<Change> = []
  for (const change of events(round, seed)) {
    if (batch.push(change) < batchEvents) continue
    writeBatch(rows, batch)
    batch = []
  }
  writeBatch(rows, batch)
}

const usedMegabytes = (): number => {
  setFlagsFromString("--expose-gc")
  runInNewContext("gc")()
  return process.memoryUsage().heapUsed / 1_000_000
}

describe(`${rounds} events each of ${entities} entities`, () => {
  it(
    "take no more memory than their rows",
    () => {
      const seed = 20_261_120
      const rows = new Map<string, Row>()
      for (let round = 0; round < 4; round++) runRound(rows, round, seed)
      const whenComplete = usedMegabytes()
      for (let round = 4; round < rounds; round++) runRound(rows, round, seed)
      const grown = usedMegabytes() - whenComplete
      assert.strictEqual(rows.size, entities)
      for (const row of rows.values()) assert.strictEqual(row["status"], "paid", `seed ${seed}`)
      assert.isBelow(grown, whenComplete * 0.05, `seed ${seed}: MB grown in the events after the fourth`)
    },
    patience
  )
})
