import { assert, describe, it } from "@effect/vitest"
import type { Answer } from "../../dashboard/Api.ts"
import { currentOf, timelineOf } from "../../dashboard/Timeline.ts"

const hash = "ab".repeat(32)

const explained: Answer<"explain"> = {
  ipc: "IPC-7",
  row: {
    id: "IPC-7",
    status: "paid",
    submitter: null,
    _extra: "{}",
    _clocks: JSON.stringify({
      status: `1764252202123456.3.${hash.slice(0, 16)}`,
      id: `1764252202123456.0.${"cd".repeat(8)}`
    })
  },
  events: [{ body_sha256: hash, sequence: "12", received_at: "2026-11-27T14:00:00.000000Z" }],
  facts: [{ number: 1, known_at: "2026-11-27T14:00:00.000000Z", kind: "payment", content: "{}" }],
  entries: [{ entry_id: "e", known_at: "2026-11-27T14:00:00.000000Z" }],
  holds: [{ hold_id: "h", since: "2026-11-27T13:00:00.000000Z" }],
  decisions: [{ number: 1, decided_at: "2026-11-27T14:00:00.000000Z" }],
  balance: { certified: null, due: null, paid: "0.0000", open: null }
}

describe("the timeline of an IPC", () => {
  it("is in the order of time, and at one time in that of cause", () => {
    const kinds = timelineOf(explained).map(({ kind }) => kind)
    assert.deepStrictEqual(kinds, ["hold", "delivery", "fact", "decision", "entry"])
  })

  it("shows of the row what has a value, as of when, and which delivery said it", () => {
    assert.deepStrictEqual(currentOf(explained), [
      { name: "id", value: "IPC-7", at: "2025-11-27T14:03:22.123Z", delivery: null },
      { name: "status", value: "paid", at: "2025-11-27T14:03:22.123Z", delivery: "12" }
    ])
    assert.deepStrictEqual(currentOf({ ...explained, row: null }), [])
  })
})
