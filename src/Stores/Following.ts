/**
 * A Store in files as a backup off the machine follows it: two logs of numbered frames that only grow. The log of rows has
 * every irreplaceable row after each change, the inbox every delivery; both together are the Store, as the inbox has
 * what rows refer to. Frames don't change, except that lost ones may come back.
 */
import type { Effect } from "effect"

export const logNames = ["rows", "inbox"] as const
export type LogName = (typeof logNames)[number]

export interface LogEnd {
  /** Random: the log of another Store, or of this one after a restore, has another one. */
  readonly id: string
  /** The number of the last frame that is on disk; of the rows, no transaction is in it only in part. */
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
   * written for the first time, or once more.
   */
  readonly ends: Effect.Effect<Readonly<Record<LogName, LogEnd>>, E>
  /** After a number, up to another one: as many as fit into one part of a backup; undefined if there are none. */
  readonly frames: (log: LogName, after: number, through: number) => Effect.Effect<Frames | undefined, E>
  /** The data directory's key, in hex: it opens the secrets among the rows. */
  readonly dataKey: Effect.Effect<string, E>
}
