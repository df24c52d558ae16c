/**
 * The proxies through which requests leave this network, from the same variables as in most programs: HTTP_PROXY,
 * HTTPS_PROXY and NO_PROXY, in lower or upper case. Nothing on this machine is ever reached through a proxy.
 */
import { isIP } from "node:net"
import { env } from "node:process"

const variable = (name: string): string => env[name.toLowerCase()] ?? env[name] ?? ""

const own = ["localhost", "127.0.0.1", "[::1]"]

/** Includes the hosts below it, as most programs interpret a name; Node's own client takes it for a single host. */
const withBelow = (name: string): ReadonlyArray<string> =>
  isIP(name) > 0 || /^[.*]/.test(name) ? [name] : [name, `.${name}`]

const past = (): ReadonlyArray<string> =>
  variable("NO_PROXY")
    .split(",")
    .map((name) => name.trim())
    .filter(Boolean)
    .flatMap(withBelow)

/** By the names of the variables; undefined if there is no proxy. */
export const proxies = () => {
  const [http, https] = [variable("HTTP_PROXY"), variable("HTTPS_PROXY")]
  if (http === "" && https === "") return undefined
  return { HTTP_PROXY: http, HTTPS_PROXY: https, NO_PROXY: [...past(), ...own].join(",") }
}
