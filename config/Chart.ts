/**
 * How entries are laid out for an accounting system: its codes for the accounts, and what lines and texts say. Pure. It changes
 * nothing in the books.
 */

/** Whom a line is about. */
export interface Counterparty {
  readonly kind: "customer" | "vendor"
  readonly name: string
}

/** What a line says, in these projects on this account; the first that fits counts. */
export interface LineRule {
  /** As in the books; null: any. */
  readonly account: string | null
  /** Ids, or their beginnings with a `*`; empty: any. */
  readonly projects: ReadonlyArray<string>
  readonly taxCode: string | null
  readonly costCode: string | null
  readonly counterparty: Counterparty | null
  /** The category, and the option as a template. */
  readonly tracking: Readonly<Record<string, string>>
}

export interface Chart {
  /** The system's code for an account of the books; one that isn't named keeps its name. */
  readonly accounts: Readonly<Record<string, string>>
  /** Whose books a project belongs to, if there are several; null: nobody has said. */
  readonly company: string | null
  /** By project id, where it differs. */
  readonly companies: Readonly<Record<string, string>>
  /** A template. */
  readonly narration: string
  readonly lines: ReadonlyArray<LineRule>
}

/** What a template may name, in braces. */
export const placeholders = ["ipc", "project", "reference", "kind", "sequence"] as const
export type Placeholder = (typeof placeholders)[number]

const named = /\{([^{}]*)\}/g

/** Undefined if all that it names is known. */
export const strangeIn = (template: string): string | undefined =>
  [...template.matchAll(named)]
    .map(([, name = ""]) => name)
    .find((name) => !(placeholders as ReadonlyArray<string>).includes(name))

export const filled = (template: string, values: Readonly<Record<Placeholder, string>>): string =>
  template.replaceAll(named, (whole, name: string) => values[name as Placeholder] ?? whole)

export const plain: Chart = {
  accounts: {},
  company: null,
  companies: {},
  narration: "IPC {ipc}, {reference}",
  lines: []
}
