/** The ledger's settings: presets, own accounts, currencies by project, the open period, and what is refused. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { minorDigits } from "../../config/Currency.ts"
import { type Env, settings } from "./Reading.ts"

const ledger = (env: Env) => Effect.map(settings(env), (read) => read.ledger)

const others = {
  rules: 3,
  minorDigits,
  certificates: { standard: null, payable: [], byProject: {} },
  timezone: "UTC",
  confirmAbove: null,
  reading: { aliases: {}, contentsAt: ["data", "payload"], trustTypeHeader: false }
}

it.effect(
  "the open period begins at midnight in the books' time zone, which is the worker's unless they have one",
  () =>
    Effect.gen(function* () {
      const env = { SITELEDGER_LEDGER_OPEN_FROM: "2026-07-01", SITELEDGER_TIMEZONE: "Europe/Berlin" }
      const { openFrom, timezone } = yield* ledger(env)
      assert.deepStrictEqual([openFrom, timezone], ["2026-06-30T22:00:00.000000Z", "Europe/Berlin"])
      const own = yield* ledger({ ...env, SITELEDGER_LEDGER_TIMEZONE: "America/New_York" })
      assert.deepStrictEqual([own.openFrom, own.timezone], ["2026-07-01T04:00:00.000000Z", "America/New_York"])
    })
)

it.effect.each([
  { given: "UTC", recorded: "UTC" },
  { given: "utc", recorded: "UTC" },
  { given: "Etc/UTC", recorded: "UTC" },
  { given: "+00:00", recorded: "+00:00" },
  { given: "Europe/Berlin", recorded: "Europe/Berlin" }
])("the zone $given is recorded as $recorded", ({ given, recorded }) =>
  Effect.gen(function* () {
    const { timezone } = yield* ledger({ SITELEDGER_TIMEZONE: given })
    assert.strictEqual(timezone, recorded)
  })
)

it.effect("an amount is kept exactly, with four decimals", () =>
  Effect.gen(function* () {
    const { confirmAbove } = yield* ledger({ SITELEDGER_LEDGER_CONFIRM_ABOVE: "0010000.5" })
    assert.strictEqual(confirmAbove, "10000.5000")
  })
)

it.effect("a variable that two values rest on is complained about once", () =>
  Effect.gen(function* () {
    const error = yield* Effect.flip(ledger({ SITELEDGER_TIMEZONE: "Mars" }))
    assert.strictEqual(error.message.match(/SITELEDGER_TIMEZONE/g)?.length, 1)
  })
)

it.effect("nothing configured is a contractor without a currency, and no period is closed", () =>
  Effect.gen(function* () {
    assert.deepStrictEqual(yield* ledger({}), {
      ...others,
      debitAccount: "bank",
      creditAccount: "receivable",
      currency: null,
      currencies: {},
      openFrom: null,
      inClosedPeriod: "hold"
    })
  })
)

it.effect("an employer pays from the bank; a configured account replaces its preset", () =>
  Effect.gen(function* () {
    const read = yield* ledger({
      SITELEDGER_LEDGER_PERSPECTIVE: "Employer",
      SITELEDGER_LEDGER_CREDIT_ACCOUNT: "1200 Bank",
      SITELEDGER_LEDGER_CURRENCY: "EUR 4711=USD, 12=GBP",
      SITELEDGER_LEDGER_OPEN_FROM: "2026-01-01",
      SITELEDGER_LEDGER_CLOSED_PERIOD: "post"
    })
    assert.deepStrictEqual(read, {
      ...others,
      settles: "debit",
      debitAccount: "payable",
      creditAccount: "1200 Bank",
      currency: "EUR",
      currencies: { "4711": "USD", "12": "GBP" },
      openFrom: "2026-01-01T00:00:00.000000Z",
      inClosedPeriod: "post"
    })
  })
)

it.effect.each([
  ["SITELEDGER_LEDGER_PERSPECTIVE", "owner"],
  ["SITELEDGER_LEDGER_DEBIT_ACCOUNT", "a\tb"],
  ["SITELEDGER_LEDGER_CREDIT_ACCOUNT", "bank"],
  ["SITELEDGER_LEDGER_CURRENCY", "euro"],
  ["SITELEDGER_LEDGER_CURRENCY", "EUR USD"],
  ["SITELEDGER_LEDGER_OPEN_FROM", "2026-02-31"],
  ["SITELEDGER_LEDGER_OPEN_FROM", "yesterday"],
  ["SITELEDGER_LEDGER_CLOSED_PERIOD", "ignore"],
  ["SITELEDGER_LEDGER_TIMEZONE", "Mars"],
  ["SITELEDGER_LEDGER_CONFIRM_ABOVE", "-1"]
] as const)("%s=%s is refused by name", ([name, value]) =>
  Effect.gen(function* () {
    const error = yield* Effect.flip(ledger({ [name]: value }))
    assert.deepStrictEqual(
      error.problems.map((problem) => problem.variable),
      [name]
    )
  })
)
