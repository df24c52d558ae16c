/**
 * A file from the accounting system: what each kind of file says about entries, their kinds and their lines, and what
 * is refused.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { accrued, idOf, linesText, withheld } from "../connectors/Entries.ts"
import { accruedUnits, files, inFolder, quoted, read, sent, units } from "./AccountingFiles.ts"

describe("a file of the accounting system", () => {
  it.effect.each(Object.entries(files))("in %s has kinds and lines", ([, { name, text }]) =>
    inFolder((path) =>
      Effect.gen(function* () {
        const all = [sent(1), sent(2, accrued), sent(3, { ...withheld, amount: "-100.0000" })]
        const { lines } = yield* read(path, name, text(all))
        assert.deepStrictEqual(
          [...lines.values()].map((line) => [line.entryId, line.kind, line.lines]),
          [
            [idOf(1), "payment", units({ bank: "1250.0000", receivable: "-1250.0000" })],
            [idOf(2), "accrual", accruedUnits],
            [idOf(3), "payment", units({ bank: "95.0000", receivable: "-100.0000", withholding: "5.0000" })]
          ]
        )
      })
    )
  )

  it.effect("may have lines as the books keep them, amounts as numbers, one side only, and accounts twice", () =>
    inFolder((path) =>
      Effect.gen(function* () {
        const strange = linesText(
          ["1400", "123456789012345678901234.5678"],
          ["__proto__", "-123456789012345678901234.5678"],
          ['a "b", \\ c', "1.0000"],
          ["9", "-1.0000"]
        )
        const written = [
          strange,
          '{"a":123456789012345678901234.5678,"b":-123456789012345678901234.5678}',
          '[{"account":"a","debit":2.50},{"account":"b","credit":"2.5"}]',
          '[{"account":"a","debit":1,"credit":null},{"account":"a","debit":"1","credit":""},{"account":"b","credit":2}]',
          "",
          "null"
        ].map(
          (lines, index) =>
            `{"entry_id":"${idOf(index)}","amount":123456789012345678901234.5670,"lines":${lines === "" ? '""' : lines}}`
        )
        const { lines } = yield* read(path, "has.jsonl", written.join("\n"))
        assert.deepStrictEqual(
          [...lines.values()].map((line) => line.lines),
          [
            [
              { account: "9", units: -10_000n },
              { account: "1400", units: 1_234_567_890_123_456_789_012_345_678n },
              { account: "__proto__", units: -1_234_567_890_123_456_789_012_345_678n },
              { account: 'a "b", \\ c', units: 10_000n }
            ],
            units({ a: "123456789012345678901234.5678", b: "-123456789012345678901234.5678" }),
            units({ a: "2.5000", b: "-2.5000" }),
            units({ a: "2.0000", b: "-2.0000" }),
            null,
            null
          ]
        )
        for (const line of lines.values()) assert.strictEqual(line.units, 1_234_567_890_123_456_789_012_345_670n)
        // Words of the accounting system's own are no kind.
        const other = yield* read(path, "has.csv", `entry_id,amount,kind\n${idOf(1)},1,Journal`)
        assert.isNull(other.lines.get(idOf(1))?.kind)
      })
    )
  )

  it.effect.each([
    ["7", "its lines are no list of accounts with debit and credit"],
    ["[7]", "its lines are no list"],
    ['{"a":"x","b":"-1"}', "its lines are no list"],
    ['{"a":"1.00001","b":"-1.00001"}', "its lines are no list"],
    ['[{"account":"","debit":"1"},{"account":"b","credit":"1"}]', "its lines are no list"],
    ['[{"account":"a\\nb","debit":"1"},{"account":"b","credit":"1"}]', "its lines are no list"],
    ['{"a":"1","b":"-0.9999"}', "its lines don't add up to zero"],
    ["{}", "its lines move nothing"],
    ['[{"account":"a","debit":"1","credit":"1"}]', "its lines move nothing"],
    [
      `[${`{"account":"a","debit":"${"9".repeat(24)}"},`.repeat(2)}{"account":"b","credit":"1"}]`,
      "an amount of its lines has too many digits"
    ]
  ] as const)("with the lines %s is refused, and says where and why", ([lines, why]) =>
    inFolder((path) =>
      Effect.gen(function* () {
        const text = `entry_id,amount,lines\n${idOf(1)},1,${quoted(lines)}`
        const { message } = yield* Effect.flip(read(path, "has.csv", text))
        assert.include(message, `has.csv can't be compared: line 2: ${why}`)
      })
    )
  )
})

describe("a file that holds no objects", () => {
  it.effect.each([
    ["7", /it holds something else than objects/],
    ["[7]", /it holds something else than objects/],
    ['"a"', /it holds something else than objects/],
    ['{"entry_id":', /can't be read as JSON: Malformed JSON/],
    [`{"entry_id":"a","amount":"1","lines":${"[".repeat(600)}${"]".repeat(600)}}`, /something else than objects/]
  ] as const)("can't be read: %s", ([text, why]) =>
    inFolder((path) =>
      Effect.gen(function* () {
        const { message } = yield* Effect.flip(read(path, "has.json", text))
        assert.match(message, why)
      })
    )
  )
})
