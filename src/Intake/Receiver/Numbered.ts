/**
 * Numbers for the secrets, by which the receiver's thread names them.
 */
import type { Secret } from "../Secrets/Keyring.ts"
import type { KnownSecret } from "./Messages.ts"

/** `secrets`: all that are kept. */
export const numbered = (secrets: () => ReadonlyArray<Secret>) => {
  const numbers = new Map<Secret, number>()
  return {
    all: (): ReadonlyArray<KnownSecret> =>
      secrets().map((secret) => {
        const number = numbers.get(secret) ?? numbers.size
        numbers.set(secret, number)
        return { number, fingerprint: secret.fingerprint, key: secret.key, expiresAtMs: secret.expiresAtMs }
      }),
    secret: (number: number): Secret | undefined => [...numbers].find(([, each]) => each === number)?.[0]
  }
}
