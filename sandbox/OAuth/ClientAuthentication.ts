/**
 * Which client is asking (RFC 6749 §2.3, §3.2.1): by HTTP Basic or by `client_secret` among the parameters, never both;
 * a public client only names itself. An unknown scheme, an unknown client and a wrong secret get the same answer. Like
 * some servers, it can be told to insist on Basic.
 */
import { Result } from "effect"
import { Base64 } from "effect/encoding"
import type { Client, Clients } from "./Clients.ts"
import { refuse, type Refusal } from "./Refusal.ts"
import { same } from "./Secrets.ts"

export interface Presented {
  /** The header, unchanged. */
  readonly authorization: string | undefined
  readonly client_id?: string | undefined
  readonly client_secret?: string | undefined
}

interface Credentials {
  readonly id: string
  readonly secret: string | undefined
}

/** Each half is form-encoded before it becomes Basic (§2.3.1). */
const formDecoded = (half: string): string =>
  new URLSearchParams(`half=${half.replaceAll("&", "%26")}`).get("half") ?? ""

const basic = (authorization: string): Credentials | undefined => {
  const [, encoded = ""] = /^Basic +([A-Za-z0-9+/]+=*) *$/i.exec(authorization) ?? []
  const text = Result.getOrElse(Base64.decodeString(encoded), () => "")
  const colon = text.indexOf(":")
  if (colon < 0) return undefined
  return { id: formDecoded(text.slice(0, colon)), secret: formDecoded(text.slice(colon + 1)) }
}

const credentials = (
  { authorization, client_id, client_secret }: Presented,
  basicOnly: boolean
): Result.Result<Credentials, Refusal> => {
  if (authorization === undefined) {
    if (basicOnly && client_secret !== undefined) return refuse("invalid_client", "the secret must come by HTTP Basic")
    if (client_id === undefined) return refuse("invalid_request", "client_id is required")
    return Result.succeed({ id: client_id, secret: client_secret })
  }
  if (client_secret !== undefined) return refuse("invalid_request", "client_secret was sent in two ways")
  const presented = basic(authorization)
  if (presented === undefined) return refuse("invalid_client", "Authorization isn't well-formed HTTP Basic")
  if (client_id !== undefined && client_id !== presented.id) {
    return refuse("invalid_request", "client_id differs from the one in Authorization")
  }
  return Result.succeed(presented)
}

/** A public client has no secret and must send none. */
const secretFits = (client: Client, secret: string | undefined): boolean =>
  client.secret === undefined ? secret === undefined : secret !== undefined && same(secret, client.secret)

export type Authenticate = (presented: Presented) => Result.Result<Client, Refusal>

/** `basicOnly`: a secret in the form is refused. */
export const make =
  (clients: Clients, basicOnly: boolean): Authenticate =>
  (presented) =>
    Result.flatMap(credentials(presented, basicOnly), ({ id, secret }) => {
      const client = clients.get(id)
      if (client !== undefined && secretFits(client, secret)) return Result.succeed(client)
      return refuse("invalid_client", "unknown client or wrong secret")
    })
