/**
 * The judge of the attack that plays a month: its expectations, counted by hand; and that it detects and names an entry
 * that is wrong, missing, doubled or someone else's. `node trust/month/breaks.ts` plants breaks into the product for
 * it.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Seed from "../../sandbox/Seed.ts"
import { behindIn, compared, type Entry, keyOf, misposted, ofLines, unlike } from "../../trust/month/Balances.ts"
import * as Decimal from "../../trust/month/Decimal.ts"
import * as Events from "../../trust/month/Events.ts"
import { expected } from "../../trust/month/Expected.ts"
import { calendarAt, north, payableOf, type Site, south } from "../../trust/month/Firm.ts"
import * as History from "../../trust/month/History.ts"
import { kinds } from "../../trust/month/Kinds.ts"
import { Life, type Plot } from "../../trust/month/Life.ts"
import { breaks } from "../../trust/month/Planted.ts"
import { type Held, holding } from "../../trust/month/Systems.ts"
import { broken } from "../../trust/simulation/breaks.ts"

const calendar = calendarAt(Date.UTC(2026, 10, 26))

const plotOf = (company: Site["company"], before: bigint | undefined = 0n): Plot => ({
  site: { id: "11000", company, currency: "EUR", before },
  total: 0n,
  times: new Set()
})

/** An IPC whose slot begins at an hour of the month. */
const lifeIn = (plot: Plot, hour: number): Life => {
  const slot = { from: calendar.from + hour * 3_600_000, length: 3_600_000 }
  return new Life(`IPC-${hour}`, "plain", plot, slot, Seed.dice(1, 2, hour), calendar)
}

const units = (text: string): bigint => Decimal.read(text)

/** Of IPCs whose certificates nobody posts. */
const paidOf = (lives: ReadonlyArray<Life>): ReadonlyArray<string> => {
  const never = { ...calendar, accruing: { day: "", from: Number.POSITIVE_INFINITY } }
  return [...expected(lives, never).values()].map((all) => {
    const own = all.filter(({ account }) => account === "receivable")
    return Decimal.text(-Decimal.sum(own.map((line) => line.units)), 2)
  })
}

describe("decimals", () => {
  it.each(["0.0000", "-0.0100", "99999999999999.9900", "12.3456"])("of %s stay as they are", (text) => {
    assert.strictEqual(Decimal.text(Decimal.read(text)), text)
  })

  it("are refused where they would be rounded", () => {
    for (const text of ["", "1e3", "0.00001", "1,5", "-"]) assert.throws(() => Decimal.read(text))
    assert.throws(() => Decimal.text(50n, 2))
    assert.strictEqual(Decimal.read("1.50000000"), 15_000n)
  })

  it("of a share are rounded to the cent, halves away from zero", () => {
    const shares = ["0.10", "-0.10", "0.09", "-0.30"].map((of) => Decimal.text(Decimal.share(units(of), units("5")), 2))
    assert.deepStrictEqual(shares, ["0.01", "-0.01", "0.00", "-0.02"])
  })
})

describe("what a history implies", () => {
  it("takes the cap of retention over all that is certified, and the tax of what is left", () => {
    const rules = { retention: { percent: "5", cap: "50" }, tax: "20" }
    const totals = ["600", "1200", "1500"].map((amount) => payableOf(units(amount), rules).payable)
    const due = totals.map((total, index) => Decimal.text(total - (totals[index - 1] ?? 0n), 2))
    assert.deepStrictEqual(due, ["684.00", "696.00", "360.00"])
  })

  it("adds up certificates in one company and not in the other", () => {
    const due = [north, south].map((company) => {
      const plot = plotOf(company)
      const lives = [0, 1, 2].map((hour) => lifeIn(plot, hour))
      for (const [index, life] of lives.entries()) {
        life.begins()
        life.certified(life.at(0.3), units(["1000", "1600", "1900.50"][index] ?? ""))
        life.paid(life.at(0.6))
      }
      return paidOf(lives)
    })
    assert.deepStrictEqual(due, [
      ["1140.00", "684.00", "342.56"],
      ["1077.00", "1723.20", "2046.84"]
    ])
  })

  it("is what people answer, where a certificate doesn't say it", () => {
    const life = lifeIn(plotOf(south), 0)
    life.begins()
    life.certified(life.at(0.3), units("1000"))
    life.paid(life.at(0.6))
    life.certified(life.at(0.8), units("900"))
    life.answer("recertified-after-payment", "accept", units("-100"))
    assert.deepStrictEqual(paidOf([life]), ["977.00"])
    life.answer("recertified-after-payment", "reject")
    assert.deepStrictEqual(paidOf([life]), ["1077.00"])
    life.acts.push({ verb: "reverse", what: "payments" })
    assert.deepStrictEqual(paidOf([life]), ["0.00"])
  })

  it("is a receivable for each certificate, of which the payer keeps a tax back, from a day on", () => {
    const plot = plotOf(south)
    const hours = [0, (calendar.accruing.from - calendar.from) / 3_600_000 + 1]
    const lives = hours.map((hour) => lifeIn(plot, hour))
    for (const life of lives) {
      life.begins()
      life.certified(life.at(0.3), units("1000"))
      life.paid(life.at(0.6))
    }
    const written = [...expected(lives, calendar).values()].map((all) =>
      Object.fromEntries(
        [...Map.groupBy(all, ({ account }) => account)].map(([account, own]) => [
          account,
          Decimal.text(Decimal.sum(own.map((line) => line.units)), 2)
        ])
      )
    )
    const paid = { bank: "1050.07", withheld: "26.93" }
    assert.deepStrictEqual(written, [
      { ...paid, receivable: "-1077.00" },
      { ...paid, receivable: "0.00", retention: "0.00", VAT: "-77.00", revenue: "-1000.00" }
    ])
    lives[1]?.acts.push({ verb: "reverse", what: "accruals" })
    assert.notProperty(
      Object.fromEntries([...expected(lives, calendar).values()].flat().map((line) => [line.account, 1])),
      "VAT"
    )
  })

  it("is what was there when the month was closed, where people refuse what comes later", () => {
    const life = lifeIn(plotOf(south), 0)
    life.begins()
    life.certified(life.at(0.3), units("1000"))
    life.paid(life.at(0.6))
    life.certified(life.at(0.45), units("2000"), { isLate: true })
    assert.deepStrictEqual(paidOf([life]), ["2154.00"])
    life.late = "reject"
    assert.deepStrictEqual(paidOf([life]), ["1077.00"])
  })

  it("is the same for the same seed, has every kind of life, and balances", () => {
    const [one, other] = [7, 7].map((seed) => History.make(300, { dice: Seed.dice(seed, 1, 0), calendar }))
    const bodies = [one, other].map((history) =>
      Events.of(history?.lives ?? [], 1, Seed.dice(3, 1, 0)).map(({ body }) => body)
    )
    assert.deepStrictEqual(bodies[0], bodies[1])
    assert.isAbove(bodies[0]?.length ?? 0, 500)
    assert.sameMembers([...new Set(one?.lives.map(({ kind }) => kind))], Object.keys(kinds))
    const sums = [...ofLines(expected(one?.lives ?? [], calendar)).values()]
    assert.strictEqual(Decimal.sum(sums), 0n)
    assert.isAbove(sums.length, 8)
  })
})

const lines = (amount: string, [debit, credit] = ["1000", "1400"] as const) => [
  { code: debit, units: units(amount) },
  { code: credit, units: -units(amount) }
]
const entries: ReadonlyArray<Entry> = ["10.50", "-2.00", "7.25"].map((amount, index) => ({
  id: `entry-${index}`,
  ipc: `IPC-${index}`,
  company: "South Ltd",
  currency: "EUR",
  lines: lines(amount)
}))
const stored = (all: ReadonlyArray<{ readonly id: string; readonly lines: Entry["lines"] }>): Held =>
  holding(
    all.map((each) => ({ ...each, isPosted: true })),
    []
  )
const balanced = (held: Held) =>
  new Map([...held.balances].map(([code, sum]) => [keyOf("South Ltd", "EUR", code), sum] as const))

describe("books that differ", () => {
  const [first, ...others] = entries
  const wrong = { id: "entry-0", lines: lines("10.49") }
  it.each([
    { what: "a wrong amount", held: [wrong, ...others], names: "entry-0 of IPC IPC-0 (10.5000 here, 10.4900 there)" },
    { what: "a missing entry", held: others, names: "entry-0 of IPC IPC-0 (10.5000 here, nothing there)" },
    {
      what: "an entry of someone else",
      held: [...entries, { id: "strange", lines: lines("0.01") }],
      names: "strange of IPC none (nothing here, 0.0100 there)"
    }
  ])("by $what name the account, both figures and the entry", ({ held, names }) => {
    const [ours, theirs] = [stored(entries), stored(held)].map((books) => balanced(books))
    const sides = [ours, theirs].map((balances, index) => ({
      name: ["siteledger", "Xero"][index] ?? "",
      balances: balances!
    }))
    const found = compared(sides[0]!, sides[1]!, () => behindIn(stored(held), entries, "1000"))
    assert.lengthOf(found, 2)
    assert.match(found[0] ?? "", /^South Ltd, EUR, 1000: siteledger has 15\.7500, Xero has 1?\d\.\d{4}\. Behind it: /)
    assert.include(found[0], names)
    assert.lengthOf(unlike(stored(held), entries), 1)
  })

  it("by nothing are the same, in any order of lines", () => {
    const turned = stored(entries.map((entry) => ({ ...entry, lines: entry.lines.toReversed() })))
    assert.deepStrictEqual(unlike(turned, entries), [])
    const sides = [balanced(stored(entries)), balanced(turned)].map((balances) => ({ name: "", balances }))
    assert.deepStrictEqual(
      compared(sides[0]!, sides[1]!, () => []),
      []
    )
  })

  it("by an entry that is there twice, a draft, or no entry of ours say so", () => {
    const all = [first, first].map((entry) => ({ id: entry?.id, isPosted: false, lines: entry?.lines ?? [] }))
    assert.deepStrictEqual(
      holding([...all, { id: undefined, isPosted: true, lines: [] }], ["it complains"]).complaints,
      [
        "it complains",
        "it has entry entry-0 as a draft",
        "it has entry entry-0 twice",
        "it has entry entry-0 as a draft",
        "it has an entry that names none of siteledger's"
      ]
    )
  })

  it("by two mistakes that cancel each other out are seen, IPC by IPC", () => {
    const right = new Map(
      entries.map(({ ipc, lines: own }) => [
        ipc,
        own.map(({ code, units: each }) => ({ company: "South Ltd", currency: "EUR", account: code, units: each }))
      ])
    )
    assert.deepStrictEqual(
      misposted(right, entries, () => "plain"),
      []
    )
    const [one, two, three] = entries as [Entry, Entry, Entry]
    const crossed = [{ ...one, lines: two.lines }, { ...two, lines: one.lines }, three]
    const found = misposted(right, crossed, () => "plain")
    assert.lengthOf(found, 4)
    assert.include(found[0], "IPC IPC-0 (plain), South Ltd, EUR, 1000: 10.5000 is right, -2.0000 is posted by entry-0")
    assert.lengthOf(
      misposted(right, [one, two], () => "plain"),
      2
    )
  })
})

describe("planted breaks", () => {
  it("fit their files in one place each", () => {
    assert.isAtLeast(breaks.length, 12)
    for (const planted of breaks) assert.notStrictEqual(broken(planted), "")
  })
})
