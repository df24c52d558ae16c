/**
 * A Store in files as an off-machine backup follows it: two logs of numbered frames that only grow. The log of rows has
 * every irreplaceable row after each change, and the inbox has every delivery. Together they are the Store, because the
 * inbox has what the rows refer to. Frames don't change, but lost ones may be restored.
 */
import type { Effect } from "effect"

export const logNames = ["rows", "inbox"] as const
export type LogName = (typeof logNames)[number]

export interface LogEnd {
  /** Random: the log of another Store, or of this one after a restore, has a different id. */
  readonly id: string
  /** The number of the last frame on disk. For rows, no transaction is only partly included. */
  readonly last: number
}

/** Whole frames with consecutive numbers, one after the other. */
export interface Frames {
  readonly first: number
  readonly last: number
  readonly bytes: Buffer
}

export interface Following<E> {
  /**
   * No row up to the end of its log refers to a delivery after the end of the inbox. Waits while the log of rows is
   * first written, or rewritten.
   */
  readonly ends: Effect.Effect<Readonly<Record<LogName, LogEnd>>, E>
  /** Frames after one number, up to another: as many as fit into one part of a backup; undefined if there are none. */
  readonly frames: (log: LogName, after: number, through: number) => Effect.Effect<Frames | undefined, E>
  /** The data directory's key, in hex: it decrypts the secrets among the rows. */
  readonly dataKey: Effect.Effect<string, E>
}
