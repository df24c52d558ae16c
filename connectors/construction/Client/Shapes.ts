/**
 * What the service returns, as plain types: the wire's schemas are checked against these where they are decoded.
 */
import type { EventName } from "../ConstructionEvents.ts"

/**
 * `id` (an integer), `name` and `status` (the service's own word), and everything else that the service sends, as
 * `unknown`. No number is rounded: one that a double can't reproduce exactly (many digits, a trailing zero) is an
 * object that JSON.stringify writes as it came. An id beyond 2^53 - 1 therefore fails the call as NotAsPromised, with
 * the id in the message.
 */
export interface Project {
  readonly id: number
  readonly name: string
  readonly status: string
  readonly [field: string]: unknown
}

export interface Pagination {
  readonly total: number
  /** From 1. */
  readonly page: number
  readonly per_page: number
}

/** One page as the service granted it: `pagination.per_page` may be less than requested. */
export interface ProjectPage {
  readonly data: ReadonlyArray<Project>
  readonly pagination: Pagination
}

export interface Webhook {
  /** Absolute callback URL. */
  readonly url: string
  /** Event types (§6.3). The document's list is incomplete, so any name is allowed. */
  readonly events: ReadonlyArray<EventName | (string & {})>
}

export interface Subscription {
  readonly url: string
  readonly events: ReadonlyArray<string>
  /** Deliveries are signed with it. Store it: the document shows no way to retrieve it again. */
  readonly secret: string
}
