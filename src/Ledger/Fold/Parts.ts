/**
 * The names of the parts of an IPC's books. Each part adds up to one thing: a payment's own amount, an accepted hold,
 * what is due by certificates, what a person added, what the accounting system had before a restore. Pure.
 *
 * A part that a change of project moved continues under its name with a mark: the id of the accepted hold.
 */

/** The mark of a payment that wasn't moved. */
export const unmoved = ""

const mark = /@([0-9a-f]{32})$/

export const moved = (base: string, by: string): string => (by === unmoved ? base : `${base}@${by}`)

export const baseOf = (part: string): string => part.replace(mark, "")

/** The move to which the part belongs. */
export const markOf = (part: string): string => mark.exec(part)?.[1] ?? unmoved

const hand = "hand:"
const known = "known:"
const paid = "paid:"

/** The part of an entry that a person added. */
export const byHand = (fact: number): string => `${hand}${fact}`

export const isByHand = (part: string): boolean => part.startsWith(hand)

/**
 * The part of what the accounting system had for a payment. The reference is encoded, so that it can't look like a
 * mark.
 */
export const knownOf = (reference: string): string => `${known}${encodeURIComponent(reference)}`

/** The part of a further payment whose event says its amount. */
export const paidOf = (reference: string): string => `${paid}${encodeURIComponent(reference)}`

const accrued = "accrued:"

export interface Place {
  readonly projectId: string | null
  readonly currency: string | null
}

/** The part of what is posted for the certificates of an IPC while they are posted at this place. */
export const accruedIn = ({ currency, projectId }: Place): string => `${accrued}${projectId ?? ""}:${currency ?? ""}`

/** The part of what the accounting system had for them. */
export const accruedElsewhere = (currency: string | null): string => `${accrued}known:${currency ?? ""}`

/** Whether the rules posted it. */
export const isAccruedHere = (part: string): boolean => isAccrued(part) && !part.startsWith(`${accrued}known:`)

export const isAccrued = (part: string): boolean => part.startsWith(accrued)

/** Whether the rules post it for a payment. */
export const isOfPayment = (part: string): boolean => !isByHand(part) && !isAccrued(part)

export const isKnown = (part: string): boolean => part.startsWith(known)
