/**
 * The messages between the main thread and the reading thread: a Reading without the fields that have no column, then
 * these in parts, because receiving hundreds of thousands at once takes longer than a delivery may wait.
 */
import type { Event, Reading } from "../../../src/Domain/Event.ts"

export type Request = { readonly event: Event; readonly nowMicros: number } | "more"

export type Answer =
  | { readonly reading: Reading }
  /** Names and texts alternately. */
  | { readonly fields: ReadonlyArray<string>; readonly isLast: boolean }

const fieldsAtOnce = 2_500

export function* partsOf(reading: Reading): Generator<Answer, undefined> {
  const { change } = reading
  yield { reading: change === undefined ? reading : { ...reading, change: { ...change, extra: {} } } }
  const extra = change?.extra ?? {}
  const names = Object.keys(extra)
  for (let at = 0; at === 0 || at < names.length; at += fieldsAtOnce) {
    const fields = names.slice(at, at + fieldsAtOnce).flatMap((name) => [name, extra[name] ?? ""])
    yield { fields, isLast: at + fieldsAtOnce >= names.length }
  }
}

/** Puts the parts back together. */
export class Joined {
  #reading: Reading | undefined
  // The service chooses the names, which may be __proto__.
  readonly #extra: Record<string, string> = Object.create(null) as Record<string, string>

  /** The complete Reading, once its last part has arrived. */
  add(answer: Answer): Reading | undefined {
    if ("reading" in answer) {
      this.#reading = answer.reading
      return undefined
    }
    const { fields, isLast } = answer
    for (let at = 0; at < fields.length; at += 2) this.#extra[fields[at] ?? ""] = fields[at + 1] ?? ""
    if (!isLast || this.#reading === undefined) return undefined
    const { change } = this.#reading
    return change === undefined ? this.#reading : { ...this.#reading, change: { ...change, extra: this.#extra } }
  }
}
