/**
 * Requests that a person is looking at, for `consentSeconds`. Each form has its own secret and belongs to the browser
 * that it was shown to (a cookie identifies it), so another site can neither send nor guess it. It is answered once.
 * The person is the sandbox's one administrator.
 */
import { Result } from "effect"
import type { Request } from "./Authorization.ts"
import * as Expiring from "./Expiring.ts"
import { isOpaque, opaque, same } from "./Secrets.ts"

export const consentSeconds = 600

/** Shown on the page: the sandbox has nothing to protect. */
export const administrator = { username: "admin@example.com", password: "sandbox" } as const

/** What the form sends back. */
export interface Answered {
  readonly consent?: string | undefined
  readonly username?: string | undefined
  readonly password?: string | undefined
  readonly decision?: string | undefined
}

export type Outcome =
  | { readonly _tag: "Allowed" | "Denied"; readonly request: Request }
  /** The same form again. */
  | { readonly _tag: "WrongLogin"; readonly request: Request; readonly consent: string }

export interface Consents {
  /** `browser`: the cookie's value. Returns the form's secret and the cookie's next value. */
  readonly show: (
    request: Request,
    browser: string | undefined,
    nowMillis: number
  ) => { readonly consent: string; readonly browser: string }
  /** Fails if this browser has no such form; then nothing can be trusted. */
  readonly answer: (
    answered: Answered,
    browser: string | undefined,
    nowMillis: number
  ) => Result.Result<Outcome, "unknown-form">
}

const isAdministrator = ({ password = "", username = "" }: Answered): boolean =>
  username.trim().toLowerCase() === administrator.username && same(password, administrator.password)

export const make = (): Consents => {
  const waiting = Expiring.make<{ readonly request: Request; readonly browser: string }>(consentSeconds)
  return {
    show: (request, known, nowMillis) => {
      const browser = known !== undefined && isOpaque(known) ? known : opaque()
      const consent = opaque()
      waiting.add(consent, { request, browser }, nowMillis)
      return { consent, browser }
    },
    answer: (answered, browser, nowMillis) => {
      const { consent = "", decision } = answered
      const shown = waiting.get(consent, nowMillis)
      if (shown === undefined || browser === undefined || !same(shown.browser, browser)) {
        return Result.fail("unknown-form")
      }
      const { request } = shown
      if (decision === "allow" && !isAdministrator(answered)) {
        return Result.succeed({ _tag: "WrongLogin", request, consent })
      }
      waiting.remove(consent)
      return Result.succeed({ _tag: decision === "allow" ? "Allowed" : "Denied", request })
    }
  }
}
