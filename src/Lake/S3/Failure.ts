/**
 * Explains what went wrong with a bucket, in one sentence for the person who can fix it: the variables and rights to
 * check, never a secret. The store's own words are stripped of control characters, and are left out if they may repeat
 * what was sent.
 */
import { LakeError } from "../Lake.ts"
import { visible } from "../../Query/Text.ts"
import { codeOf } from "../../Runtime/SystemFailure.ts"
import type { Place, Thrown } from "./Client.ts"

interface Context {
  readonly place: Place
  readonly endpoint: string | undefined
  readonly thrown: Thrown
}

type Sentence = (context: Context) => string

const store = ({ endpoint }: Context): string => (endpoint === undefined ? "AWS" : `the store at ${endpoint}`)

const session: Sentence = () =>
  "the session of the credentials has ended: renew it (AWS_SESSION_TOKEN, or the profile; `aws sso login` for SSO)."

const elsewhere: Sentence = ({ thrown }) => {
  const region = headersOf(thrown)["x-amz-bucket-region"]
  return `the bucket is in ${region === undefined ? "another region" : `the region ${region}`}: set AWS_REGION to it.`
}

const skewed: Sentence = (context) =>
  `this machine's clock is too far from that of ${store(context)}: set it and keep it synchronized by NTP.`

const byCode: Readonly<Record<string, Sentence>> = {
  InvalidAccessKeyId: (context) =>
    `${store(context)} doesn't know the access key: check AWS_ACCESS_KEY_ID, or the profile (AWS_PROFILE).`,
  SignatureDoesNotMatch: (context) =>
    `${store(context)} refuses the signature: check AWS_SECRET_ACCESS_KEY, or the profile (AWS_PROFILE).`,
  ExpiredToken: session,
  ExpiredTokenException: session,
  InvalidToken: session,
  TokenRefreshRequired: session,
  TokenProviderError: session,
  CredentialsProviderError: () =>
    "there are no usable AWS credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE, or give this machine a role.",
  RequestTimeTooSkewed: skewed,
  RequestExpired: skewed,
  NoSuchBucket: (context) =>
    `${store(context)} has no bucket ${context.place.bucket}: create it, or change SITELEDGER_LAKE.`,
  InvalidBucketName: ({ place }) => `${place.bucket} is not a valid name of a bucket: change SITELEDGER_LAKE.`,
  PermanentRedirect: elsewhere,
  TemporaryRedirect: elsewhere,
  AuthorizationHeaderMalformed: elsewhere,
  IllegalLocationConstraintException: elsewhere
}

const full = new Set(["QuotaExceeded", "InsufficientStorage", "XMinioStorageFull", "XMinioAdminBucketQuotaExceeded"])

/** The permission that each operation needs, as IAM names it. */
const rights: Readonly<Record<string, string>> = {
  HeadObject: "s3:GetObject",
  GetObject: "s3:GetObject (and s3:ListBucket, or a missing file looks forbidden)",
  PutObject: "s3:PutObject",
  CreateMultipartUpload: "s3:PutObject",
  UploadPart: "s3:PutObject",
  CompleteMultipartUpload: "s3:PutObject",
  AbortMultipartUpload: "s3:AbortMultipartUpload",
  ListMultipartUploads: "s3:ListBucketMultipartUploads",
  ListObjectsV2: "s3:ListBucket",
  DeleteObject: "s3:DeleteObject"
}

const unreachable: Readonly<Record<string, string>> = {
  ENOTFOUND: "has no address",
  EAI_AGAIN: "has no address at the moment",
  ECONNREFUSED: "refuses connections",
  ECONNRESET: "broke off the connection",
  EPIPE: "broke off the connection",
  EHOSTUNREACH: "can't be reached",
  ENETUNREACH: "can't be reached",
  ETIMEDOUT: "didn't answer in time"
}

export const named = ({ bucket, prefix }: Place): string => `s3://${bucket}${prefix === "" ? "" : `/${prefix}`}`

export const failure = (place: Place, endpoint: string | undefined, thrown: Thrown): LakeError => {
  const context = { place, endpoint, thrown }
  const { reason, sentence } = explained(context)
  const id = requestIdOf(thrown)
  return new LakeError({
    reason,
    message: visible(`${named(place)}: ${sentence}${id === undefined ? "" : ` (Request ${id}.)`}`)
  })
}

const explained = (context: Context): Pick<LakeError, "reason"> & { readonly sentence: string } => {
  const { thrown } = context
  const { cause, code, status } = thrown
  const known = byCode[code]
  if (known !== undefined) return { reason: "Denied", sentence: known(context) }
  if (full.has(code) || status === 507) {
    return { reason: "Full", sentence: `${store(context)} has no room left (${code}).` }
  }
  if (status === 301 || status === 307) return { reason: "Denied", sentence: elsewhere(context) }
  if (status === 401 || status === 403) return { reason: "Denied", sentence: forbidden(context) }
  if (status === 429 || code === "SlowDown") {
    return { reason: "Failed", sentence: `${store(context)} asks to slow down, ${afterAttempts(cause)}.` }
  }
  const isMisconfigured = isRegionMissing(cause) || isNoEndpoint(cause)
  return { reason: isMisconfigured ? "Denied" : "Failed", sentence: failed(context) }
}

const forbidden = ({ thrown: { operation } }: Context): string => {
  const right = rights[operation]
  return `${operation} is forbidden${right === undefined ? "" : `: allow ${right}`}. docs/lake.md lists all rights.`
}

const isRegionMissing = (cause: unknown): boolean => cause instanceof Error && cause.message === "Region is missing"

/** Recognised by the SDK's message, which may repeat a password in the address. */
const isNoEndpoint = (cause: unknown): boolean =>
  networkCodeOf(cause) === "ERR_INVALID_URL" ||
  (cause instanceof Error && /^(Custom endpoint .* was not a valid URI|Invalid URL)/.test(cause.message))

const failed = (context: Context): string => {
  const { cause, code, operation, status } = context.thrown
  const of = store(context)
  if (code === "AnswerTooLarge") {
    return `${of} answered ${operation} with ${oneLine(cause)}, which aren't read: raise SITELEDGER_LAKE_ANSWER_MAX_BYTES.`
  }
  const network = unreachable[networkCodeOf(cause)]
  if (network !== undefined) return `${of} ${network} (AWS_ENDPOINT_URL_S3, AWS_REGION).`
  if (code === "TimeoutError") return `${of} didn't answer in time (AWS_ENDPOINT_URL_S3, AWS_REGION).`
  if (isRegionMissing(cause)) return "no region is set: set AWS_REGION to that of the bucket."
  if (isNoEndpoint(cause)) return "AWS_ENDPOINT_URL_S3 (or AWS_ENDPOINT_URL) isn't a URL like https://HOST:PORT."
  if (/CERT|SELF_SIGNED|UNABLE_TO_VERIFY/.test(networkCodeOf(cause))) {
    return `the certificate of ${of} isn't trusted (${networkCodeOf(cause)}): name its authority in NODE_EXTRA_CA_CERTS.`
  }
  if (status === undefined) return `${operation} didn't succeed: ${oneLine(cause)}`
  if (status < 300) return `${of} answered ${operation} in a way that no S3 store does: check AWS_ENDPOINT_URL_S3.`
  return `${of} answered ${operation} with ${status} ${code}, ${afterAttempts(cause)}.`
}

/** The code of the error or of its cause. */
const networkCodeOf = (cause: unknown, depth = 0): string => {
  const { cause: inner } = (cause ?? {}) as { readonly cause?: unknown }
  return codeOf(cause) || (inner === undefined || depth > 3 ? "" : networkCodeOf(inner, depth + 1))
}

const afterAttempts = (cause: unknown): string => {
  const { attempts = 1 } = (cause as { readonly $metadata?: { readonly attempts?: number } }).$metadata ?? {}
  return attempts === 1 ? "at the first attempt" : `after ${attempts} attempts`
}

const requestIdOf = ({ cause }: Thrown): string | undefined =>
  (cause as { readonly $metadata?: { readonly requestId?: string } } | undefined)?.$metadata?.requestId

const headersOf = ({ cause }: Thrown): Readonly<Record<string, string | undefined>> =>
  (cause as { readonly $response?: { readonly headers?: Record<string, string> } } | undefined)?.$response?.headers ??
  {}

const oneLine = (cause: unknown): string =>
  ((cause instanceof Error ? cause.message : String(cause)).split("\n")[0] ?? "").slice(0, 200)
