/**
 * What the main thread and the receiver's thread say to each other. The main thread says what is valid; the receiver's
 * thread says what has happened. One report covers everything since the main thread heard the previous one.
 */
import type { KeyObject } from "node:crypto"
import type { BlockList } from "node:net"
import type { Erased } from "../../Domain/Erasure.ts"
import type { Limits } from "./Limits.ts"

export type RefusedFor = "too-large" | "encoded"

export interface KnownSecret {
  /** Reports name the secret by this number. */
  readonly number: number
  readonly fingerprint: string
  readonly key: KeyObject
  /** Exclusive. */
  readonly expiresAtMs: number
}

export interface KnownRefusal {
  /** Hex. */
  readonly signature: string
  readonly eventId: string | null
}

/** What the main thread knows. */
export interface Known {
  readonly secrets: ReadonlyArray<KnownSecret>
  readonly formerPaths: ReadonlyArray<string>
  readonly refused: ReadonlyArray<KnownRefusal>
}

/** What the receiver's thread starts with. */
export interface Start {
  readonly host: string
  readonly port: number
  readonly path: string
  readonly maximumBytes: number
  readonly trustedProxies: BlockList
  readonly limits: Limits
  /** Whether reports include what was received, for traces. */
  readonly traces: boolean
  /** A module that exports `signing`. */
  readonly signing: string
  readonly known: Known
  /** Undefined if nothing is erased. */
  readonly erasing: Erasing | undefined
}

/** What is erased, and how bodies are read: see `Domain/Erasure`. */
export interface Erasing {
  readonly all: ReadonlyArray<Erased>
  /** It exports `bodies`, which is called with `given`. */
  readonly module: string
  readonly given: unknown
}

export interface Counters {
  accepted: number
  rejected: number
  tooLarge: number
  encoded: number
  notStored: number
}

/** A refused request that may be a delivery, or the news that one of them came after all. */
export type Refusing = KnownRefusal &
  ({ readonly kind: "came" } | { readonly kind: "refused"; readonly why: RefusedFor; readonly isSigned: boolean })

/** A delivery, from when its headers were read until its 2xx was sent. */
export interface Received {
  readonly eventId: string
  readonly startMs: number
  readonly endMs: number
  readonly bytes: number
  /** The header of that name (W3C Trace Context). */
  readonly traceparent: string | undefined
}

/** What has happened since the last report. */
export interface Report {
  readonly counters: Counters
  readonly accepted: ReadonlyArray<{ readonly secret: number; readonly events: number; readonly pings: number }>
  /**
   * Deliveries signed with unknown secrets, before the first accepted one and after the last one. If none was accepted,
   * `before` has all of them.
   */
  readonly wrong: { readonly before: number; readonly after: number }
  readonly refusals: ReadonlyArray<Refusing>
  /** For traces, if any are made: the first ones. */
  readonly received: ReadonlyArray<Received>
  /** Why deliveries can't be stored; null if they can be again. */
  readonly failing: string | null | undefined
}

/** To the receiver's thread. `id`: the message must be answered. */
export type Told =
  | { readonly kind: "known"; readonly id: number; readonly known: Known }
  | { readonly kind: "heard" }
  | { readonly kind: "settled"; readonly id: number }
  | { readonly kind: "flush"; readonly id: number }
  | { readonly kind: "close" }

/** From the receiver's thread. */
export type Said =
  | { readonly kind: "listening"; readonly port: number }
  | { readonly kind: "deaf"; readonly code: string | undefined; readonly message: string }
  | { readonly kind: "report"; readonly report: Report }
  /** Some deliveries have an unknown signature. The thread asks to be told once new secrets may be known. */
  | { readonly kind: "unknown"; readonly id: number }
  | { readonly kind: "done"; readonly id: number }
