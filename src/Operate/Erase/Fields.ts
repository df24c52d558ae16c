/**
 * What a connector knows about the warehouse's columns, for an engine whose rows are changed instead of rebuilt.
 */

export interface Field {
  /** The names under which the service sends what the column holds; `--field` asks for one of these. */
  readonly names: ReadonlyArray<string>
  /** It stays, as it does in a body. */
  readonly isKept: boolean
}

export interface Fields {
  readonly of: (table: string, column: string) => Field
  /** Whether fields without a column stay where they do in a body. */
  readonly areAsInBodies: (table: string) => boolean
}
