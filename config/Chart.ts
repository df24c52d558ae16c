/**
 * How entries are laid out for an accounting system: its codes for the accounts, and the contents of lines and texts.
 * Pure. It changes nothing in the books.
 */

/** The party that a line concerns. */
export interface Counterparty {
  readonly kind: "customer" | "vendor"
  readonly name: string
}

/** What a line says, for these projects and this account; the first rule that matches applies. */
export interface LineRule {
  /** As in the books; null for any. */
  readonly account: string | null
  /** Ids, or their beginnings followed by `*`; empty for any. */
  readonly projects: ReadonlyArray<string>
  readonly taxCode: string | null
  readonly costCode: string | null
  readonly counterparty: Counterparty | null
  /** By category: the option, as a template. */
  readonly tracking: Readonly<Record<string, string>>
}

export interface Chart {
  /** By account of the books: the system's code. An account that isn't listed keeps its name. */
  readonly accounts: Readonly<Record<string, string>>
  /** The company whose books a project belongs to, if there are several; null if not given. */
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

/** An unknown name in the template; undefined if all names are known. */
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
