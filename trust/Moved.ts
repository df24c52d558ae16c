/**
 * How much entries move on each account, computed without the product's own code: `ACCOUNT UNITS`, sorted as text.
 */
export type Moved = ReadonlyArray<string>

type Row = Readonly<Record<string, unknown>>

/** In ten-thousandths. */
const unitsOf = (amount: unknown): bigint => BigInt(String(amount).replace(".", ""))

type Lines = ReadonlyArray<readonly [account: string, units: bigint]>

const inOrder = (lines: Lines): Moved => lines.map(([account, units]) => `${account} ${units}`).toSorted()

const linesIn = ({ amount, credit_account: credit, debit_account: debit, lines }: Row): Lines =>
  lines === null || lines === undefined
    ? [
        [String(debit), unitsOf(amount)],
        [String(credit), -unitsOf(amount)]
      ]
    : Object.entries(JSON.parse(String(lines)) as Row).map(([account, moved]) => [account, unitsOf(moved)] as const)

/** From a row of the books, or of a copy of them. */
export const moved = (row: Row): Moved => inOrder(linesIn(row))

export const isBalanced = (row: Row): boolean => linesIn(row).reduce((sum, [, units]) => sum + units, 0n) === 0n

/** From what accounting received. */
export const movedBy = (lines: ReadonlyArray<Row>): Moved =>
  inOrder(lines.map(({ account, credit, debit }) => [String(account), unitsOf(debit) - unitsOf(credit)]))
