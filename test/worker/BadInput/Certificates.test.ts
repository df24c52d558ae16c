/** TLS that fails: each cause in its own words, nothing sent without a trusted certificate, and deliveries go on. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Authority, type Certificate, daysFromNow, selfSigned } from "../../Certificates.ts"
import { examined, includes } from "../Doctor/Examined.ts"
import { logIn } from "../Login/LoggedIn.ts"
import { World } from "../World.ts"

const authority = new Authority()
const good = authority.issue()
const dayOf = (at: Date) => at.toISOString().slice(0, 10)
const [yesterday, tomorrow] = [daysFromNow(-1), daysFromNow(1)]
const stranger = new Authority()
const leaf = stranger.issue()

/** What is wrong, and the words for it. */
const failures: Readonly<Record<string, readonly [Certificate, RegExp]>> = {
  "has expired": [
    authority.issue({ from: daysFromNow(-9), until: yesterday }),
    new RegExp(`its certificate expired on ${dayOf(yesterday)} \\(CERT_HAS_EXPIRED\\)`)
  ],
  "isn't valid yet": [
    authority.issue({ from: tomorrow, until: daysFromNow(9) }),
    new RegExp(`its certificate isn't valid before ${dayOf(tomorrow)}: check this machine's clock`)
  ],
  "is self-signed": [selfSigned(), /its certificate is self-signed: add its authority with NODE_EXTRA_CA_CERTS/],
  "is for another host": [
    authority.issue({ names: ["elsewhere.test", "10.0.0.1"] }),
    /its certificate is for elsewhere\.test, 10\.0\.0\.1, not for 127\.0\.0\.1/
  ],
  "is of an unknown authority": [leaf, /an authority that this machine doesn't know: .*NODE_EXTRA_CA_CERTS/],
  "brings its unknown authority": [
    { ...leaf, cert: leaf.cert + stranger.cert },
    /an authority that this machine doesn't know: .*NODE_EXTRA_CA_CERTS/
  ]
}

/** A service with a trusted certificate. */
const open = async (tokenLifetimeSeconds: number): Promise<World> => {
  const world = await World.open({ projects: 3, certificate: good, tokenLifetimeSeconds })
  const trusted = join(world.dataDir, "authority.pem")
  writeFileSync(trusted, authority.cert)
  Object.assign(world.environment, { NODE_EXTRA_CA_CERTS: trusted, SITELEDGER_WALK_EVERY: "300 millis" })
  return world
}

const endpoints = { SITELEDGER_BASE_URL: 3600, SITELEDGER_AUTH_URL: 1 }

describe("a certificate that can't be trusted", () => {
  for (const [variable, tokenLifetimeSeconds] of Object.entries(endpoints)) {
    it(`at ${variable} is named, nothing is sent, deliveries go on, and the next good one is used`, async () => {
      await using world = await open(tokenLifetimeSeconds)
      const worker = world.start()
      await worker.live()
      for (const [index, [certificate, words]] of Object.values(failures).entries()) {
        world.server.present(certificate)
        const before = world.server.requests.length
        const sentence = new RegExp(`\\(${variable}\\).*${words.source}`)
        await worker.status(`it says ${words.source}`, ({ reasons }) => reasons.some((each) => sentence.test(each)))
        assert.strictEqual(await world.server.deliver({ type: "ipc.paid", fields: { ipc_id: index } }), 200)
        await worker.status("applied", ({ events, inbox }) => inbox.pending === 0 && (events["applied"] ?? 0) > index)
        assert.strictEqual(world.server.requests.length, before)
        world.server.present(good)
        await worker.live()
      }
    })
  }

  it("is a finding of doctor, for the API and the token endpoint, in the same words", async () => {
    await using world = await open(3600)
    assert.deepStrictEqual((await examined(world.environment)).failed, [])
    const before = world.server.requests.length
    for (const [certificate, words] of Object.values(failures)) {
      world.server.present(certificate)
      const { failed } = await examined(world.environment)
      includes(failed, new RegExp(`^token: .*\\(SITELEDGER_AUTH_URL\\).*${words.source}`))
      includes(failed, new RegExp(`^service: .*\\(SITELEDGER_BASE_URL\\).*${words.source}`))
    }
    assert.strictEqual(world.server.requests.length, before)
  })

  it("ends a login with the same words, and no code is sent", async () => {
    await using world = await open(3600)
    world.server.present(selfSigned())
    const { code, page, stderr } = await logIn(world.environment, async (url) => {
      const { searchParams } = new URL(url)
      const redirect = new URL(searchParams.get("redirect_uri") ?? "")
      redirect.search = `code=a-code&state=${searchParams.get("state")}`
      return redirect.href
    })
    assert.strictEqual(code, 1)
    for (const text of [stderr, page]) assert.match(text, /\(SITELEDGER_AUTH_URL\).*certificate is self-signed/)
    assert.deepStrictEqual(world.server.requests, [])
  })
})
