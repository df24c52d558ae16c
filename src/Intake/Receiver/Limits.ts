/**
 * The receiver's limits on time, size and connections.
 */
import { allowedDescriptors } from "../../Runtime/Descriptors.ts"
import type { BodyLimits } from "./Bodies.ts"

export interface Limits extends BodyLimits {
  /**
   * From the first byte of a request to the end of its headers, and to the end of the request. Enforced within
   * `checkEveryMs`.
   */
  readonly headersMs: number
  readonly requestMs: number
  readonly checkEveryMs: number
  readonly headerBytes: number
  readonly connections: number
  /** The first answer on a connection of this age is its last. */
  readonly connectionMs: number
  /** The time announced to senders: those that respect it close an idle connection themselves after this time. */
  readonly announcedIdleMs: number
  /** Longer than any sender keeps a connection, because the receiver closes it without announcement. */
  readonly idleMs: number
}

const kibibyte = 1024

/** A quarter of the descriptors is left to the rest of the worker. */
const connectionsFor = (descriptors: number): number => Math.min(4_096, Math.floor((descriptors * 3) / 4))

export const defaultLimits: Limits = {
  headersMs: 5_000,
  requestMs: 10_000,
  checkEveryMs: 1_000,
  headerBytes: 8 * kibibyte,
  connections: connectionsFor(allowedDescriptors()),
  connectionMs: 10 * 60_000,
  announcedIdleMs: 60_000,
  // Load balancers keep a connection for up to 4,000 s.
  idleMs: 75 * 60_000,
  inFlightBytes: 32 * kibibyte ** 2,
  smallBytes: 64 * kibibyte,
  bytesPerSecond: 8 * kibibyte,
  behindMs: 2_000,
  crowdedBytesPerSecond: 256 * kibibyte,
  tickMs: 250
}
