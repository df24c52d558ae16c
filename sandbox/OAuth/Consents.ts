/**
 * Consent requests that a person is looking at, for `consentSeconds`. Each form has its own secret and belongs to the
 * browser that it was shown to (identified by a cookie), so another site can neither send nor guess it. It can be
 * answered once. The only person is the sandbox's administrator. `A`: what the person is asked.
 */
import { Result } from "effect"
import * as Expiring from "./Expiring.ts"
import { isOpaque, opaque, same } from "./Secrets.ts"

export const consentSeconds = 600

/** Shown on the page: the sandbox has nothing to protect. */
export const administrator = { username: "admin@example.com", password: "sandbox" } as const

/** The fields that the form sends back. */
export interface Answered {
  readonly consent?: string | undefined
  readonly username?: string | undefined
  readonly password?: string | undefined
  readonly decision?: string | undefined
}

export type Outcome<A> =
  | { readonly _tag: "Allowed" | "Denied"; readonly request: A }
  /** The same form is shown again. */
  | { readonly _tag: "WrongLogin"; readonly request: A; readonly consent: string }

export interface Consents<A> {
  /** `browser`: the cookie's value. Returns the form's secret and the cookie's next value. */
  readonly show: (
    request: A,
    browser: string | undefined,
    nowMillis: number
  ) => { readonly consent: string; readonly browser: string }
  /** Fails if this browser has no such form, because then nothing can be trusted. */
  readonly answer: (
    answered: Answered,
    browser: string | undefined,
    nowMillis: number
  ) => Result.Result<Outcome<A>, "unknown-form">
}

const isAdministrator = ({ password = "", username = "" }: Answered): boolean =>
  username.trim().toLowerCase() === administrator.username && same(password, administrator.password)

export const make = <A>(): Consents<A> => {
  const waiting = Expiring.make<{ readonly request: A; readonly browser: string }>(consentSeconds)
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
