/**
 * Detects that a list loops: a page shows what an earlier page of the same list has shown, record for record, or leads
 * to where an empty page has led. It remembers one earlier page at a time (Brent's algorithm), however long the list
 * is.
 */
import { hash } from "node:crypto"
import type { SerialPage } from "./Source.ts"

export class Circle {
  #remembered: string | undefined
  #since = 0
  #until = 1

  /** True if this page, the next one of the list, was seen before. */
  leadsTo({ changes, next, records }: Pick<SerialPage, "changes" | "next" | "records">): boolean {
    const what = records === 0 ? `to ${next ?? "its end"}` : hash("sha256", changes.map(({ id }) => id).join("\n"))
    if (what === this.#remembered) return true
    if (++this.#since === this.#until) {
      this.#remembered = what
      this.#since = 0
      this.#until *= 2
    }
    return false
  }
}
