/** The file that says what certified amounts are; what is wrong with one is said in a sentence that repeats no value. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { ledgerFile, none } from "../../config/LedgerFile.ts"
import { temporaryFolder } from "../Folders.ts"

const read = (content: string) => {
  const path = join(temporaryFolder(), "ledger.json")
  writeFileSync(path, content)
  return ledgerFile(path)
}

const refusalOf = (content: string): string => Result.getOrThrow(Result.flip(read(content)))

describe("the ledger's file", () => {
  it("says what certified amounts are, by default and for single projects", () => {
    assert.deepStrictEqual(Result.getOrThrow(ledgerFile("config/ledger.example.json")).certificates, {
      standard: "cumulative",
      payable: [
        { name: "retention", percent: "-50000", amount: null, of: "payable", cap: "50000.0000", account: "retention" },
        { name: "VAT", percent: "200000", amount: null, of: "payable", cap: null, account: "VAT" }
      ],
      withheld: [],
      byProject: {
        "4711": { amounts: null, certifiedBefore: "125000.0000", payable: null },
        "4712": { amounts: null, certifiedBefore: "0.0000", payable: null },
        "4713": {
          amounts: "each",
          certifiedBefore: null,
          payable: [],
          withheld: [
            {
              name: "withholding tax",
              percent: "-50000",
              amount: null,
              of: "certified",
              cap: null,
              account: "withholding tax"
            }
          ]
        }
      }
    })
    assert.deepStrictEqual(Result.getOrThrow(read(`\uFEFF{}`)), none)
    const single = read(`{ "projects": { "7": { "certificates": "cumulative", "certifiedBefore": "10.5" } } }`)
    assert.deepStrictEqual(Result.getOrThrow(single).certificates, {
      standard: null,
      payable: [],
      byProject: { "7": { amounts: "cumulative", certifiedBefore: "10.5000", payable: null } }
    })
  })

  it.each([
    ["not json", "names a file that isn't JSON."],
    ["[]", "names a file that isn't a JSON object."],
    [`{ "certificates": "secret" }`, `names a file whose certificates isn't "each" or "cumulative".`],
    [`{ "certificate": "each" }`, "names a file whose certificate isn't known to this version."],
    [
      `{ "projects": [] }`,
      "names a file whose projects isn't what belongs there: an object of projects by their ids, or in a line a list of ids, or of their beginnings with a *."
    ],
    [`{ "projects": { "7": "each" } }`, "names a file whose projects.7 isn't an object."],
    [
      `{ "projects": { "7": { "certificates": 1 } } }`,
      `names a file whose projects.7.certificates isn't "each" or "cumulative".`
    ],
    [
      `{ "projects": { "7": { "certificates": "cumulative", "certifiedBefore": 100 } } }`,
      `names a file whose projects.7.certifiedBefore isn't an amount like "125000.00".`
    ],
    [
      `{ "projects": { "7": { "certificates": "cumulative", "certifiedBefore": "1.00001" } } }`,
      `names a file whose projects.7.certifiedBefore isn't an amount like "125000.00".`
    ],
    [
      `{ "projects": { "7": { "certificates": "each", "certifiedBefore": "1" } } }`,
      "names a file whose projects.7.certifiedBefore has a meaning only where certificates are cumulative."
    ],
    [
      `{ "projects": { "7": { "certifiedBefore": "1" } } }`,
      "names a file whose projects.7.certifiedBefore has a meaning only where certificates are cumulative."
    ],
    [
      `{ "projects": { "P7": { "certificates": "each" } } }`,
      "names a file whose projects aren't named by their ids, which are whole numbers."
    ],
    [`{ "projects": { "07": {} } }`, "names a file whose projects aren't named by their ids, which are whole numbers."]
  ])("is refused if it is %s", (content, sentence) => {
    assert.strictEqual(refusalOf(content), sentence)
  })

  it("lays out entries: accounts, texts, and what lines say", () => {
    const { chart } = Result.getOrThrow(ledgerFile("config/ledger.example.json"))
    assert.deepStrictEqual(chart, {
      accounts: { bank: "1200", receivable: "1400" },
      company: "North Ltd",
      companies: { "4713": "South Ltd" },
      narration: "IPC {ipc}, {reference}",
      lines: [
        {
          account: "receivable",
          projects: ["47*"],
          taxCode: "NONE",
          costCode: null,
          counterparty: { kind: "customer", name: "City of Springfield" },
          tracking: { Project: "{project}" }
        }
      ]
    })
  })

  it("says what is payable of certified amounts", () => {
    const file = read(`{
      "certificates": "cumulative",
      "payable": [{ "name": "retention", "percent": "-5", "cap": "50000" }, { "name": "VAT", "percent": "20.5", "of": "certified" }],
      "projects": { "7": { "payable": [{ "name": "advance", "amount": "-100.5" }] }, "8": { "payable": [] } }
    }`)
    const { byProject, payable } = Result.getOrThrow(file).certificates
    assert.deepStrictEqual(payable, [
      { name: "retention", percent: "-50000", amount: null, of: "payable", cap: "50000.0000" },
      { name: "VAT", percent: "205000", amount: null, of: "certified", cap: null }
    ])
    assert.deepStrictEqual(byProject["7"]?.payable, [
      { name: "advance", percent: null, amount: "-100.5000", of: "payable", cap: null }
    ])
    assert.deepStrictEqual(byProject["8"]?.payable, [])
  })

  it("says what is posted of certificates, and what is kept back of payments", () => {
    const { accrual, certificates } = Result.getOrThrow(
      read(`{
      "certificates": "each",
      "accrual": { "account": "revenue", "from": "2026-10-01" },
      "payable": [{ "name": "VAT", "percent": "20", "account": "VAT" }],
      "withheld": [{ "name": "tax", "percent": "5", "account": "tax" }],
      "projects": { "7": { "withheld": [{ "name": "fee", "amount": "10", "account": "fees" }] } }
    }`)
    )
    assert.deepStrictEqual(accrual, { account: "revenue", from: "2026-10-01" })
    const rule = { of: "certified", cap: null } as const
    assert.deepStrictEqual(certificates.withheld, [
      { ...rule, name: "tax", percent: "-50000", amount: null, account: "tax" }
    ])
    assert.deepStrictEqual(certificates.byProject["7"]?.withheld, [
      { ...rule, name: "fee", percent: null, amount: "-10.0000", account: "fees" }
    ])
    assert.strictEqual(certificates.payable[0]?.account, "VAT")
  })

  it.each([
    [`"payable": [{ "name": "VAT" }]`, "payable.0 needs a percent or an amount, and not both."],
    [
      `"payable": [{ "name": "VAT", "percent": "1", "amount": "1" }]`,
      "payable.0 needs a percent or an amount, and not both."
    ],
    [`"payable": [{ "name": "VAT", "percent": 20 }]`, `payable.0.percent isn't a percentage like "-5" or "20.5".`],
    [`"payable": [{ "name": "VAT", "percent": "20%" }]`, `payable.0.percent isn't a percentage like "-5" or "20.5".`],
    [
      `"payable": [{ "name": "VAT", "percent": "20", "cap": "5" }]`,
      "payable.0.cap has a meaning only where certificates are cumulative."
    ],
    [
      `"certificates": "cumulative", "payable": [{ "name": "R", "percent": "-5", "cap": "5" }], "projects": { "7": { "certificates": "each" } }`,
      "projects.7 needs a payable of its own: a cap has a meaning only where certificates are cumulative."
    ],
    [
      `"accrual": { "account": "revenue", "from": "2026-10-01" }`,
      "accrual needs certificates: without it, nobody has said what certified amounts are."
    ],
    [`"accrual": "revenue"`, "accrual isn't an object with an account and a day (from)."],
    [`"accrual": { "account": "revenue", "from": "2026-02-30" }`, `accrual.from isn't a day like "2026-10-01".`],
    [
      `"certificates": "each", "accrual": { "account": "revenue", "from": "2026-10-01" }, "payable": [{ "name": "VAT", "percent": "20" }]`,
      "payable.0 needs an account, because accrual posts what it holds back or adds."
    ],
    [
      `"certificates": "each", "accrual": { "account": "revenue", "from": "2026-10-01" }, "projects": { "7": { "payable": [{ "name": "VAT", "percent": "20" }] } }`,
      "projects.7.payable.0 needs an account, because accrual posts what it holds back or adds."
    ],
    [
      `"withheld": [{ "name": "tax", "percent": "5" }]`,
      "withheld.0.account isn't a text of up to 200 characters, without line breaks."
    ],
    [
      `"withheld": [{ "name": "tax", "percent": "-5", "account": "tax" }]`,
      `withheld.0.percent isn't a percentage like "5" or "20.5".`
    ],
    [`"withheld": [{ "name": "tax", "account": "tax" }]`, "withheld.0 needs a percent or an amount, and not both."]
  ])("is refused if it says %s", (content, sentence) => {
    assert.strictEqual(refusalOf(`{ ${content} }`), `names a file whose ${sentence}`)
  })

  it.each([
    [`{ "company": "" }`, "company isn't a text of up to 200 characters, without line breaks."],
    [
      `{ "accounts": { "bank": 1 } }`,
      "accounts.bank isn't a text of up to 200 characters, without line breaks, or isn't an object of them."
    ],
    [
      `{ "narration": "{iban}" }`,
      "narration isn't a text of up to 200 characters, without line breaks, that names in braces only ipc, project, reference, kind or sequence."
    ],
    [`{ "lines": {} }`, "lines isn't a list of objects."],
    [`{ "lines": ["bank"] }`, "lines.0 isn't a list of objects."],
    [`{ "lines": [{ "taxcode": "X" }] }`, "lines.0.taxcode isn't known to this version."],
    [`{ "lines": [{ "customer": "A", "vendor": "B" }] }`, "lines.0 has a customer and a vendor; keep one."]
  ])("is refused if it lays out %s", (content, sentence) => {
    assert.strictEqual(refusalOf(content), `names a file whose ${sentence}`)
  })

  it("is refused if it can't be read", () => {
    assert.strictEqual(
      Result.getOrThrow(Result.flip(ledgerFile("nowhere/ledger.json"))),
      "names a file that cannot be read."
    )
  })
})
