/**
 * The trial balance that hledger makes of the journal that `siteledger ledger write` writes for it. Needs Debian's
 * package hledger.
 */
import { spawnSync } from "node:child_process"
import * as Decimal from "./Decimal.ts"
import { companies } from "./Firm.ts"
import { keyOf } from "./Balances.ts"

const run = (...words: ReadonlyArray<string>) =>
  spawnSync("hledger", words, { encoding: "utf8", env: { ...process.env, LANG: "C.UTF-8" }, maxBuffer: 2 ** 28 })

/** Why hledger isn't there; undefined: it is. */
export const missing: string | undefined =
  run("--version").status === 0 ? undefined : "hledger isn't installed (Debian: hledger)"

const amountIn = /^(-?[\d.]+) ([A-Z]{3})$/

/** `"1000","12.50 EUR"`: an account and its balance, with one line for each of its currencies. */
const rowsIn = (csv: string): ReadonlyArray<readonly [account: string, amount: string]> =>
  [...csv.matchAll(/^"([^"]*)","([^"]*)"$/gm)].slice(1).map(([, account = "", amount = ""]) => [account, amount])

/**
 * By company, currency and account. The journal names no company, so the project's id decides it. Fails if hledger
 * does.
 */
export const balances = (journal: string, currencies: ReadonlyArray<string>): ReadonlyMap<string, bigint> => {
  const checked = run("-f", journal, "check", "--strict")
  if (checked.status !== 0) throw new Error(`hledger check --strict: ${checked.stderr.slice(0, 500)}`)
  const all = new Map<string, bigint>()
  for (const { digit, name } of companies) {
    for (const currency of currencies) {
      const asked = ["balance", "--flat", "--no-total", "-O", "csv", `cur:${currency}`, `tag:project=^${digit}`]
      const { status, stderr, stdout } = run("-I", "-f", journal, ...asked)
      if (status !== 0) throw new Error(`hledger balance: ${stderr.slice(0, 500)}`)
      for (const [account, amount] of rowsIn(stdout)) {
        if (amount === "0") continue
        const [, units, of] = amountIn.exec(amount) ?? []
        if (units === undefined || of !== currency) throw new Error(`hledger says ${JSON.stringify(amount)}`)
        all.set(keyOf(name, currency, account), Decimal.read(units))
      }
    }
  }
  return all
}
