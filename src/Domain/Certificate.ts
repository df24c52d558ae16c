/**
 * The certificate in a record of the service, read from the answer that shows it. It is read exactly, and only from the
 * places that a person has named. A value that is missing or of the wrong kind is reported in words; nothing is
 * guessed. Pure.
 */
import * as Amount from "./Amount.ts"
import * as Instant from "./Instant.ts"
import * as Json from "./Json.ts"
import * as JsonPointer from "./JsonPointer.ts"
import * as Limits from "./Limits.ts"
import { resources } from "./Resource.ts"
import * as Value from "./Value.ts"

/** JSON Pointers into the answer. */
export interface CertificatePlaces {
  /** The id of the record. */
  readonly id: string
  readonly amount: string
  /** The certificate's date. */
  readonly at: string
  readonly currency?: string
  readonly url?: string
  readonly project?: string
}

export interface Certificate {
  readonly id: string
  readonly at: Instant.Instant
  /** In ten-thousandths. */
  readonly units: bigint
  /** Null if the record's currency wasn't asked for. */
  readonly currency: string | null
  readonly url: string | null
  readonly projectId: string | null
}

const longestUrl = 2000

const currencyIn = (value: unknown): string | undefined =>
  typeof value === "string" && /^[A-Z]{3}$/.test(value) ? value : undefined

const urlIn = (value: unknown): string | null =>
  typeof value === "string" && value !== "" && value.length <= longestUrl && Limits.isText(value)
    ? value.toWellFormed()
    : null

/** The certificate, or in words why there is none. The words continue a sentence after "the record". */
export const certificateIn = (text: string, places: CertificatePlaces): Certificate | string => {
  const body = Json.parse(text)
  if (body === undefined) return "isn't JSON"
  const found = (place: string | undefined) =>
    place === undefined ? undefined : (JsonPointer.at(body, place) ?? undefined)
  const id = Value.readKey(resources.ipcs, found(places.id))
  if (id === undefined) return `has no id at ${places.id}`
  const given = found(places.amount)
  if (given === undefined) return `has no certified amount at ${places.amount}`
  const amount = Amount.read(given, Amount.Money)
  if (amount === undefined) return `has something at ${places.amount} that isn't an amount`
  const micros = Instant.readMicros(found(places.at))
  if (micros === undefined) return `has no date of its certificate at ${places.at}`
  const currency = currencyIn(found(places.currency))
  if (places.currency !== undefined && currency === undefined) return `has no currency at ${places.currency}`
  return {
    id,
    at: Instant.fromMicros(micros),
    units: Amount.toUnits(amount),
    currency: currency ?? null,
    url: urlIn(found(places.url)),
    projectId: Value.readKey(resources.projects, found(places.project)) ?? null
  }
}
