/**
 * The names of the parts of an IPC's books. Each part adds up to one thing: a payment's own amount, an accepted hold, what
 * is due by certificates, what a person added, what the accounting system had before a restore. Pure.
 *
 * A part that a change of the project moved goes on under its name with a mark: the id of the accepted hold.
 */

/** Of a payment that wasn't moved. */
export const unmoved = ""

const mark = /@([0-9a-f]{32})$/

export const moved = (base: string, by: string): string => (by === unmoved ? base : `${base}@${by}`)

export const baseOf = (part: string): string => part.replace(mark, "")

/** Which move it belongs to. */
export const markOf = (part: string): string => mark.exec(part)?.[1] ?? unmoved

const hand = "hand:"
const known = "known:"
const paid = "paid:"

/** Of an entry that a person added. */
export const byHand = (fact: number): string => `${hand}${fact}`

export const isByHand = (part: string): boolean => part.startsWith(hand)

/** Of what the accounting system had for a payment. The reference is encoded, so that it can't look like a mark. */
export const knownOf = (reference: string): string => `${known}${encodeURIComponent(reference)}`

/** Of a further payment whose event says its amount. */
export const paidOf = (reference: string): string => `${paid}${encodeURIComponent(reference)}`

const accrued = "accrued:"

export interface Place {
  readonly projectId: string | null
  readonly currency: string | null
}

/** Of what is posted for the certificates of an IPC, while they are posted there. */
export const accruedIn = ({ currency, projectId }: Place): string => `${accrued}${projectId ?? ""}:${currency ?? ""}`

/** Of what the accounting system had for them. */
export const accruedElsewhere = (currency: string | null): string => `${accrued}known:${currency ?? ""}`

/** Posted by the rules. */
export const isAccruedHere = (part: string): boolean => isAccrued(part) && !part.startsWith(`${accrued}known:`)

export const isAccrued = (part: string): boolean => part.startsWith(accrued)

/** Of a payment, as the rules post it. */
export const isOfPayment = (part: string): boolean => !isByHand(part) && !isAccrued(part)

export const isKnown = (part: string): boolean => part.startsWith(known)
