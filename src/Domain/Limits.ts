/**
 * What every engine can hold. The limits are the same on all of them, so an event or a record has the same outcome
 * wherever it is stored, and a Store can move to another engine. Pure.
 */
import type { Change } from "./Change.ts"

/** In bytes. An index of PostgreSQL accepts at most 2,704. */
export const longestId = 2_000

/** PostgreSQL's text can't hold a NUL. */
export const isText = (text: string): boolean => !text.includes("\u0000")

export const isTooLong = (id: string): boolean => Buffer.byteLength(id) > longestId

export const canHold = ({ id, values }: Change): boolean =>
  isText(id) && !isTooLong(id) && Object.values(values).every((text) => text === null || isText(text))
