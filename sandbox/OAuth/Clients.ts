/**
 * The sandbox's OAuth clients as data (interface document §5 doesn't say which kinds there are). A client's row alone
 * decides what it may do: its grant types, its redirect URIs, its scopes, its plan (§8).
 *
 * Redirect URIs are compared as text, never parsed and repaired. A native app chooses the port of its loopback address
 * at each login (RFC 8252 §7.3); `localhost` doesn't count as such an address (§8.3).
 */
import { deviceGrant } from "../../connectors/construction/ConstructionApi.ts"

export type GrantType = "client_credentials" | "authorization_code" | "refresh_token" | typeof deviceGrant

export interface Client {
  readonly id: string
  /** For the person who is asked to consent. */
  readonly name: string
  /** Undefined: a public client, which can't keep a secret (RFC 6749 §2.1). */
  readonly secret: string | undefined
  readonly grantTypes: ReadonlyArray<GrantType>
  /** In addition to those on a loopback address. */
  readonly redirectUris: ReadonlyArray<string>
  /** All scopes that it may ask for; it gets all of them if it names none. */
  readonly scopes: ReadonlyArray<string>
  /** Requests in any 60 seconds. */
  readonly plan: number
}

export interface ClientsOptions {
  readonly clientId: string
  readonly clientSecret: string
  /** Allowed for every client, in addition to the ready-made ones. */
  readonly redirectUris: ReadonlyArray<string>
  /** The plan of the default client and of the public client. */
  readonly plan: number
  /** All existing scopes. */
  readonly scopes: ReadonlyArray<string>
}

export type Clients = ReadonlyMap<string, Client>

const premiumPlan = 3000
const ofPeople: ReadonlyArray<GrantType> = ["authorization_code", deviceGrant, "refresh_token"]
const everyGrant: ReadonlyArray<GrantType> = ["client_credentials", ...ofPeople]
const webRedirectUris = ["https://app.example.com/oauth/callback"]

/** One line for people. */
export const describe = ({ grantTypes, id, plan, redirectUris, secret }: Client): string => {
  const own = grantTypes.includes("client_credentials") ? "client credentials, " : ""
  const redirects = [loopbackRedirect, ...redirectUris].join(", ")
  return `${id} (${secret === undefined ? "public" : `secret ${secret}`}): ${own}code with PKCE, device code, refresh; ${plan} requests a minute; redirects to ${redirects}`
}

/** By client id. */
export const make = (options: ClientsOptions): Clients => {
  const { clientId, clientSecret: secret, plan, redirectUris: others, scopes } = options
  const redirectUris = [...webRedirectUris, ...others]
  const confidential = { secret, grantTypes: everyGrant, redirectUris, scopes }
  const clients: ReadonlyArray<Client> = [
    { ...confidential, id: clientId, name: "Server application", plan },
    { ...confidential, id: `${clientId}-premium`, name: "Server application, Premium plan", plan: premiumPlan },
    {
      id: `${clientId}-app`,
      name: "Desktop application",
      secret: undefined,
      grantTypes: ofPeople,
      redirectUris: others,
      scopes,
      plan
    }
  ]
  return new Map(clients.map((client) => [client.id, client]))
}

/** The redirect URI that `mayRedirectTo` allows to every client, for people. */
export const loopbackRedirect = "http://127.0.0.1:PORT/callback"

const loopback = /^http:\/\/(?:127\.0\.0\.1|\[::1\])(?::([1-9]\d{0,4}))?\/callback$/
const highestPort = 65_535

export const mayRedirectTo = (client: Client, redirectUri: string): boolean => {
  if (client.redirectUris.includes(redirectUri)) return true
  const match = loopback.exec(redirectUri)
  return match !== null && Number(match[1] ?? 80) <= highestPort
}
