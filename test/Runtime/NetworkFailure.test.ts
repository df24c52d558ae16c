/** The sentences about why another host can't be reached, with the system's code. */
import { assert, describe, it } from "@effect/vitest"
import { whyUnreached } from "../../src/Runtime/NetworkFailure.ts"

const thrown = (code: string, more: object = {}, message = "as the system says it") =>
  Object.assign(new Error(message), { code, ...more })

const cert = { subjectaltname: "DNS:a.test, IP Address:10.0.0.1", valid_from: "Jan  2 00:00:00 2031 GMT" }

const words: ReadonlyArray<readonly [cause: unknown, sentence: string]> = [
  [thrown("ENOTFOUND", { hostname: "a.test" }), "there is no host named a.test (ENOTFOUND)"],
  [thrown("EAI_AGAIN", { hostname: "a.test" }), "the host name a.test can't be looked up for now (DNS) (EAI_AGAIN)"],
  [thrown("ECONNREFUSED"), "nothing is listening there (ECONNREFUSED)"],
  [new Error("fetch failed", { cause: thrown("ECONNRESET") }), "it closed the connection (ECONNRESET)"],
  [thrown("CERT_HAS_EXPIRED"), "its certificate has expired (CERT_HAS_EXPIRED)"],
  [
    thrown("CERT_NOT_YET_VALID", { cert }),
    "its certificate isn't valid before 2031-01-02: check this machine's clock (CERT_NOT_YET_VALID)"
  ],
  [thrown("CERT_NOT_YET_VALID"), "its certificate isn't valid yet: check this machine's clock (CERT_NOT_YET_VALID)"],
  [
    thrown("ERR_TLS_CERT_ALTNAME_INVALID", { cert, host: "b.test" }),
    "its certificate is for a.test, 10.0.0.1, not for b.test (ERR_TLS_CERT_ALTNAME_INVALID)"
  ],
  [
    thrown("ERR_SSL_WRONG_VERSION_NUMBER"),
    "it doesn't speak TLS: check that https is right (ERR_SSL_WRONG_VERSION_NUMBER)"
  ],
  [thrown("HPE_INVALID_CONSTANT"), "it doesn't speak HTTP (HPE_INVALID_CONSTANT)"],
  [thrown("EWHATEVER"), "as the system says it (EWHATEVER)"],
  [new Error("no code"), "no code"]
]

describe("a network failure", () => {
  it.each(words)("%s is in words", (cause, sentence) => {
    assert.strictEqual(whyUnreached(cause), sentence)
  })
})
