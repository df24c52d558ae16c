/**
 * Why another host can't be reached, or why the connection breaks, in words for the person who configured its address.
 * They follow "…can't be reached: ", and end with the system's code. Pure.
 */
import * as Instant from "../Domain/Instant.ts"

interface Thrown {
  readonly code: string
  /** For a name that isn't found. */
  readonly hostname?: string
  /** For a certificate that is valid for other names. */
  readonly host?: string
  readonly cert?: { readonly subjectaltname?: string; readonly valid_from?: string; readonly valid_to?: string }
  readonly message?: string
  readonly cause?: unknown
}

const trust = "add its authority with NODE_EXTRA_CA_CERTS"
const unknownAuthority = () => `its certificate is from an authority that this machine doesn't know: ${trust}`
const notTls = () => "it doesn't speak TLS: check that https is right"
const closed = () => "it closed the connection"
const noRoute = () => "there is no route to it"
const tooSlow = () => "no connection was made in time"

/** RFC 6125: the names that a certificate is for, as Node lists them. */
const namesIn = (text = ""): string => text.replaceAll(/\b(DNS|IP Address):/g, "")

/** Node writes "Nov 22 20:37:00 2026 GMT". */
const dayOf = (text: string | undefined): string | undefined => {
  const ms = Date.parse(text ?? "")
  return Number.isNaN(ms) ? undefined : Instant.fromMillis(ms).slice(0, 10)
}

const known: Readonly<Record<string, (thrown: Thrown) => string>> = {
  ENOTFOUND: ({ hostname }) => `there is no host named ${hostname}`,
  EAI_AGAIN: ({ hostname }) => `the host name ${hostname} can't be looked up for now (DNS)`,
  ECONNREFUSED: () => "nothing is listening there",
  ECONNRESET: closed,
  EPIPE: closed,
  UND_ERR_SOCKET: closed,
  EHOSTUNREACH: noRoute,
  ENETUNREACH: noRoute,
  ETIMEDOUT: tooSlow,
  UND_ERR_CONNECT_TIMEOUT: tooSlow,
  EPROTO: notTls,
  ERR_SSL_WRONG_VERSION_NUMBER: notTls,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: notTls,
  CERT_HAS_EXPIRED: ({ cert }) => {
    const day = dayOf(cert?.valid_to)
    return day === undefined ? "its certificate has expired" : `its certificate expired on ${day}`
  },
  CERT_NOT_YET_VALID: ({ cert }) => {
    const day = dayOf(cert?.valid_from)
    return `its certificate isn't valid ${day === undefined ? "yet" : `before ${day}`}: check this machine's clock`
  },
  DEPTH_ZERO_SELF_SIGNED_CERT: () => `its certificate is self-signed: ${trust}`,
  SELF_SIGNED_CERT_IN_CHAIN: unknownAuthority,
  UNABLE_TO_GET_ISSUER_CERT: unknownAuthority,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: unknownAuthority,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: unknownAuthority,
  ERR_TLS_CERT_ALTNAME_INVALID: ({ cert, host }) =>
    `its certificate is for ${namesIn(cert?.subjectaltname) || "another host"}, not for ${host}`
}

/** The HTTP client's own error has no code, but its cause has one. */
const codedIn = (cause: unknown, depth = 0): Thrown | undefined => {
  const thrown = (cause ?? {}) as Partial<Thrown>
  if (typeof thrown.code === "string") return thrown as Thrown
  return thrown.cause === undefined || depth > 3 ? undefined : codedIn(thrown.cause, depth + 1)
}

export const whyUnreached = (cause: unknown): string => {
  const thrown = codedIn(cause)
  if (thrown === undefined) return cause instanceof Error ? cause.message : String(cause)
  const { code } = thrown
  if (code.startsWith("Z_")) return `its compressed answer can't be unpacked (${code})`
  if (code.startsWith("HPE_")) return `it doesn't speak HTTP (${code})`
  return `${known[code]?.(thrown) ?? thrown.message ?? "an unknown error"} (${code})`
}
