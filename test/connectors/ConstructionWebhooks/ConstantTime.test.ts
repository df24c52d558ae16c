/**
 * The time that checking a signature takes reveals nothing: whichever secret signed, or none, each is compared, in
 * constant time. Calls of Node's own comparison are counted, because time itself is no proof.
 */
import * as crypto from "node:crypto"
import { afterEach, assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { vi } from "vitest"
import { verifyDelivery } from "../../../connectors/construction/Client/Signature.ts"
import { signing } from "../../../connectors/construction/ConstructionSigning.ts"
import { Keyring, secret } from "../../../src/Intake/Secrets/Keyring.ts"

const { compared } = vi.hoisted(() => ({ compared: [] as Array<readonly [expected: string, signature: string]> }))

vi.mock(import("node:crypto"), async (original) => {
  const real = await original()
  const timingSafeEqual: typeof real.timingSafeEqual = (expected, signature) => {
    compared.push([Buffer.from(expected as Buffer).toString("hex"), Buffer.from(signature as Buffer).toString("hex")])
    return real.timingSafeEqual(expected, signature)
  }
  return { ...real, timingSafeEqual }
})

afterEach(() => {
  compared.length = 0
})

const body = Buffer.from("{}")
const secrets = ["first", "second", "third"]
const signatureBy = (text: string) => crypto.createHmac("sha256", text).update(body).digest("hex")

/** Each secret's own signature against the one that came, in their order. */
const every = (signature: string) => secrets.map((text) => [signatureBy(text), signature] as const)

describe.each([...secrets, "none of them"])("a signature by the secret %s", (signer) => {
  const signature = signatureBy(signer)

  it.effect("is compared with every secret's by the receiver", () =>
    Effect.gen(function* () {
      const keyring = yield* Keyring
      for (const text of secrets) keyring.hold(secret(text, { fingerprint: text }))
      const found = signing.signer(keyring.held(), body, Buffer.from(signature, "hex"))
      assert.strictEqual(
        found?.fingerprint,
        secrets.find((text) => text === signer)
      )
      assert.deepStrictEqual(compared, every(signature))
    }).pipe(Effect.provide(Keyring.layer))
  )

  it("is compared with every secret's by a program of one's own", () => {
    const isGood = verifyDelivery(body, { "x-service-signature": signature }, secrets)
    assert.strictEqual(isGood, secrets.includes(signer))
    assert.deepStrictEqual(compared, every(signature))
  })
})
