/**
 * What a person can ask of the outbox, through the running worker or not; each returns what to show, as JSON.
 * Arguments are texts by name, as they come from the command line.
 */
import { Effect } from "effect"
import { LedgerError } from "../Decide.ts"
import { Outbox } from "../Outbox.ts"

type Argument = Readonly<Record<string, string | undefined>>

const dead = Effect.gen(function* () {
  const outbox = yield* Outbox
  return (yield* outbox.dead).map((letter) => ({
    sequence: letter.sequence,
    entry_id: letter.entryId,
    ipc_id: letter.ipcId,
    queued_at: letter.queuedAt,
    waiting_behind: letter.waitingBehind,
    reason: letter.reason
  }))
})

/** One entry by how its id begins; without one, all. */
const replay = Effect.fnUntraced(function* ({ entry }: Argument) {
  const outbox = yield* Outbox
  return { replayed: yield* outbox.replay(entry) }
})

const settle = Effect.fnUntraced(function* ({ by, entry, reason }: Argument) {
  const outbox = yield* Outbox
  yield* outbox.settle(entry ?? "", by ?? "", reason ?? "")
  return { settled: entry }
})

const send = Effect.fnUntraced(function* ({ from }: Argument) {
  const sequence = Number(from ?? Number.NaN)
  if (!Number.isSafeInteger(sequence)) {
    return yield* new LedgerError({ message: "Say from which entry on, by its number in the journal (--from)." })
  }
  const outbox = yield* Outbox
  return { queued: yield* outbox.send(sequence) }
})

/** By the name that the admin listener and the command line know them by. */
export const sinkVerbs = {
  "sink-dead": (_given: Argument) => dead,
  "sink-replay": replay,
  "sink-settle": settle,
  "sink-send": send
} as const

export type SinkVerb = keyof typeof sinkVerbs
