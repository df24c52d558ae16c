/** Random lives of IPCs with cumulative certificates, and what they lead to according to docs/ledger.md. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { AppliedEvent } from "../../../src/Ledger/EventFacts.ts"
import type { Random } from "../../Seeded.ts"
import { created, holds, paid } from "../Started.ts"
import { certifiedIn, certifiedOf, isSound, nets } from "./Projects.ts"

export interface Life {
  readonly id: string
  readonly project: string
  /** By second, which no other has. */
  readonly certificates: ReadonlyMap<number, number>
  readonly paidAt: number | undefined
}

export const lives = ({ below, chance, pick, shuffle }: Random): ReadonlyArray<Life> => {
  const seconds = shuffle(Array.from({ length: 60 }, (_, second) => second + 1))
  return Array.from({ length: 3 + below(6) }, (_, n) => ({
    id: `IPC-${n}`,
    project: pick(["7", "7", "8", "9", "10"]),
    certificates: new Map(
      Array.from({ length: pick([0, 1, 1, 1, 2, 3]) }, () => [seconds.pop() ?? 0, 100 * (1 + below(20))])
    ),
    paidAt: chance(0.8) ? seconds.pop() : undefined
  }))
}

/** What is to be posted, from docs/ledger.md alone; undefined: a person is asked. */
const dueFor = ({ certificates, id, paidAt = 0, project }: Life, all: ReadonlyArray<Life>): number | undefined => {
  const own = newestBy(certificates, paidAt) ?? Math.min(...certificates.keys())
  const amount = certificates.get(own)
  if (amount === undefined) return undefined
  if (project === "10") return amount
  const place = (life: Life) => Math.min(...life.certificates.keys())
  const before = all
    .filter((life) => life.project === project && life.id !== id && place(life) < place({ certificates } as Life))
    .toSorted((a, b) => place(b) - place(a))[0]
  const previous =
    before === undefined
      ? { "7": 0, "8": 1000, "9": undefined }[project]
      : before.certificates.get(newestBy(before.certificates, own) ?? 0)
  return previous === undefined || amount - previous <= 0 ? undefined : amount - previous
}

const newestBy = (certificates: ReadonlyMap<number, number>, by: number): number | undefined =>
  [...certificates.keys()].filter((second) => second <= by).toSorted((a, b) => b - a)[0]

/** Each event names the project, or an event of its own does. */
export const eventsOf = (
  { certificates, id, paidAt, project }: Life,
  { chance }: Random
): ReadonlyArray<AppliedEvent> => [
  ...[...certificates].map(([second, amount]) =>
    chance(0.7) ? certifiedIn(project, id, second, 0, `${amount}`) : certifiedOf(id, second, 0, `${amount}`)
  ),
  ...(paidAt === undefined ? [] : [paid(id, paidAt, 0)]),
  created(id, 0, 0, project)
]

/** Fails unless what is posted and asked is what these lives lead to. */
export const isAsExpected = (all: ReadonlyArray<Life>) =>
  Effect.gen(function* () {
    const expected: Record<string, number> = {}
    const asked: Array<string> = []
    for (const life of all) {
      if (life.paidAt === undefined) continue
      const due = dueFor(life, all)
      if (due === undefined) asked.push(life.id)
      else expected[life.id] = due
    }
    // What was posted before a question came up stays until it is answered.
    const posted = Object.entries(yield* nets).filter(([id]) => !asked.includes(id))
    assert.deepStrictEqual(Object.fromEntries(posted), expected)
    const blocking = (yield* holds).filter(({ reason }) => reason !== "recertified-after-payment")
    assert.deepStrictEqual(blocking.map(({ ipc_id }) => ipc_id).toSorted(), asked)
    yield* isSound
  })
