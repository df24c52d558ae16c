/**
 * Every token request that must be refused, as data: what is wrong, and the error code of RFC 6749 §5.2. Each differs
 * from a valid request in this one thing.
 */
import { authorizationRequest, type Pairs, type Parameters, verifier } from "./Login.ts"

export type Grant = "code" | "refresh" | "credentials"

export interface TokenRefusal {
  readonly grant: Grant
  readonly wrong: string
  readonly change?: Parameters
  /** In addition to what is there already. */
  readonly also?: Pairs
  readonly authorization?: string
  /** What happened to the code or the refresh token before. */
  readonly before?: "used" | "expired" | "revoked" | "issued to another client"
  readonly answer: string
}

export const basic = (id: string, secret: string) => `Basic ${Buffer.from(`${id}:${secret}`).toString("base64")}`
export const noClient = { client_id: undefined, client_secret: undefined }

export const tokenRefusals: ReadonlyArray<TokenRefusal> = [
  { grant: "code", wrong: "no code", change: { code: undefined }, answer: "400 invalid_request" },
  { grant: "code", wrong: "an unknown code", change: { code: verifier }, answer: "400 invalid_grant" },
  { grant: "code", wrong: "code twice", also: [["code", "another"]], answer: "400 invalid_request" },
  { grant: "code", wrong: "a used code", before: "used", answer: "400 invalid_grant" },
  { grant: "code", wrong: "an expired code", before: "expired", answer: "400 invalid_grant" },
  { grant: "code", wrong: "a code of another client", before: "issued to another client", answer: "400 invalid_grant" },
  { grant: "code", wrong: "no verifier", change: { code_verifier: undefined }, answer: "400 invalid_request" },
  { grant: "code", wrong: "an empty verifier", change: { code_verifier: "" }, answer: "400 invalid_request" },
  {
    grant: "code",
    wrong: "a short verifier",
    change: { code_verifier: "a".repeat(42) },
    answer: "400 invalid_request"
  },
  {
    grant: "code",
    wrong: "a long verifier",
    change: { code_verifier: "a".repeat(129) },
    answer: "400 invalid_request"
  },
  {
    grant: "code",
    wrong: "a verifier with a space",
    change: { code_verifier: `${verifier} ` },
    answer: "400 invalid_request"
  },
  { grant: "code", wrong: "another verifier", change: { code_verifier: "a".repeat(43) }, answer: "400 invalid_grant" },
  {
    grant: "code",
    wrong: "the challenge as the verifier",
    change: { code_verifier: authorizationRequest["code_challenge"] },
    answer: "400 invalid_grant"
  },
  { grant: "code", wrong: "no redirect_uri", change: { redirect_uri: undefined }, answer: "400 invalid_request" },
  {
    grant: "code",
    wrong: "another port than before",
    change: { redirect_uri: "http://127.0.0.1:49153/callback" },
    answer: "400 invalid_grant"
  },
  { grant: "code", wrong: "no client", change: noClient, answer: "400 invalid_request" },
  { grant: "code", wrong: "an unknown client", change: { client_id: "another" }, answer: "401 invalid_client" },
  {
    grant: "code",
    wrong: "a confidential client without its secret",
    change: { client_id: "sandbox" },
    answer: "401 invalid_client"
  },
  {
    grant: "code",
    wrong: "a secret for the public client",
    change: { client_secret: "sandbox-secret" },
    answer: "401 invalid_client"
  },
  { grant: "refresh", wrong: "no token", change: { refresh_token: undefined }, answer: "400 invalid_request" },
  { grant: "refresh", wrong: "an unknown token", change: { refresh_token: verifier }, answer: "400 invalid_grant" },
  { grant: "refresh", wrong: "a used token", before: "used", answer: "400 invalid_grant" },
  { grant: "refresh", wrong: "an expired token", before: "expired", answer: "400 invalid_grant" },
  { grant: "refresh", wrong: "a revoked token", before: "revoked", answer: "400 invalid_grant" },
  {
    grant: "refresh",
    wrong: "a token of another client",
    before: "issued to another client",
    answer: "400 invalid_grant"
  },
  {
    grant: "refresh",
    wrong: "a wider scope",
    change: { scope: "projects.read vos.read" },
    answer: "400 invalid_scope"
  },
  { grant: "refresh", wrong: "an unknown scope", change: { scope: "everything" }, answer: "400 invalid_scope" },
  { grant: "credentials", wrong: "no grant_type", change: { grant_type: undefined }, answer: "400 invalid_request" },
  {
    grant: "credentials",
    wrong: "a password grant",
    change: { grant_type: "password" },
    answer: "400 unsupported_grant_type"
  },
  {
    grant: "credentials",
    wrong: "a grant type that every object has",
    change: { grant_type: "constructor" },
    answer: "400 unsupported_grant_type"
  },
  {
    grant: "credentials",
    wrong: "the public client",
    change: { client_id: "sandbox-app", client_secret: undefined },
    answer: "400 unauthorized_client"
  },
  { grant: "credentials", wrong: "no secret", change: { client_secret: undefined }, answer: "401 invalid_client" },
  { grant: "credentials", wrong: "another secret", change: { client_secret: "guess" }, answer: "401 invalid_client" },
  { grant: "credentials", wrong: "secret twice", also: [["client_secret", "x"]], answer: "400 invalid_request" },
  { grant: "credentials", wrong: "an unknown scope", change: { scope: "everything" }, answer: "400 invalid_scope" },
  {
    grant: "credentials",
    wrong: "Basic with another secret",
    change: noClient,
    authorization: basic("sandbox", "guess"),
    answer: "401 invalid_client"
  },
  {
    grant: "credentials",
    wrong: "Basic for an unknown client",
    change: noClient,
    authorization: basic("another", "sandbox-secret"),
    answer: "401 invalid_client"
  },
  {
    grant: "credentials",
    wrong: "Basic that isn't base64",
    change: noClient,
    authorization: "Basic sandbox:sandbox-secret",
    answer: "401 invalid_client"
  },
  {
    grant: "credentials",
    wrong: "a bearer token instead of a secret",
    change: noClient,
    authorization: "Bearer sandbox-secret",
    answer: "401 invalid_client"
  },
  {
    grant: "credentials",
    wrong: "a secret in two ways",
    authorization: basic("sandbox", "sandbox-secret"),
    answer: "400 invalid_request"
  },
  {
    grant: "credentials",
    wrong: "Basic and another client_id",
    change: { client_id: "sandbox-app", client_secret: undefined },
    authorization: basic("sandbox", "sandbox-secret"),
    answer: "400 invalid_request"
  }
]
