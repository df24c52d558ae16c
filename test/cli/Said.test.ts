/** What verbs did, in words: complete, on lines of their own, and harmless to a terminal. */
import { assert, describe, it } from "@effect/vitest"
import { counted, outline, period, posted, size } from "../../cli/Said.ts"

describe("what a verb did", () => {
  it("counts in words and sizes in units", () => {
    assert.deepStrictEqual(
      [counted(1, "entry", "entries"), counted(12_345, "row"), counted(0, "file")],
      ["1 entry", "12,345 rows", "0 files"]
    )
    assert.deepStrictEqual([0, 999, 1000, 1_440_000, 2e15].map(size), [
      "0 bytes",
      "999 bytes",
      "1.0 kB",
      "1.4 MB",
      "2000.0 TB"
    ])
  })

  it("is an outline: values beside names, what is nested below, what is alike as a table", () => {
    const shown = outline({
      id: "9c41",
      nothing: null,
      none: [],
      lines: [
        { account: "bank", debit: "10.0000" },
        { account: "sales", credit: "10.0000" }
      ],
      basis: { rules: 3, terms: { standard: "each" } },
      notes: ["a", "b"],
      amount: "10.0000"
    })
    assert.deepStrictEqual(
      shown.map((line) => line.trimEnd()),
      [
        "id      9c41",
        "amount  10.0000",
        "",
        "lines",
        "  account    debit   credit",
        "  -------  -------  -------",
        "  bank     10.0000        ∅",
        "  sales          ∅  10.0000",
        "",
        "basis",
        "  rules  3",
        "",
        "  terms",
        "    standard  each",
        "",
        "notes",
        "  a",
        "  b"
      ]
    )
  })

  it("names what was posted, and which questions opened and closed", () => {
    const hold = { hold_id: "3f2a", ipc_id: "7", reason: "confirm" }
    const done = { posted: [{ entry_id: "9c41", ipc_id: "7", kind: "payment" }], opened: [hold], closed: [hold] }
    assert.deepStrictEqual(posted(done), [
      "Posted payment (too many digits) for IPC 7: entry 9c41",
      "Opened hold 3f2a of IPC 7: confirm",
      "Closed hold 3f2a of IPC 7: confirm"
    ])
    const nothing = { posted: [], opened: [], closed: [] }
    assert.deepStrictEqual(posted(nothing), ["Recorded. It posts nothing."])
    assert.deepStrictEqual(period({ open_from: null, ...nothing }), ["No month is closed."])
    assert.deepStrictEqual(period({ open_from: "2026-10-01", ...nothing, opened: [hold] }), [
      "The books are closed before 2026-10-01.",
      "Opened hold 3f2a of IPC 7: confirm"
    ])
  })
})
