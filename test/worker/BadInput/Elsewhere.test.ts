/** Answers that point to another origin: nothing goes there, and what each endpoint may know stays with it. */
import { assert, describe, it } from "@effect/vitest"
import { Front } from "../../Front.ts"
import { isVerified } from "../Past.ts"
import { World } from "../World.ts"

/** A stand-in whose API and token endpoint have an origin each, and a third origin. */
const apart = async () => {
  const world = await World.open({ projects: 250, maxPerPage: 100 })
  const behind = new URL(world.server.baseUrl).origin
  const [api, auth, elsewhere] = [await Front.start(behind), await Front.start(behind), await Front.start(behind)]
  const environment = {
    SITELEDGER_BASE_URL: api.at(world.server.baseUrl),
    SITELEDGER_AUTH_URL: auth.at(world.server.authUrl),
    SITELEDGER_WALK_EVERY: "300 millis"
  }
  const close = async () => {
    await world[Symbol.asyncDispose]()
    for (const front of [api, auth, elsewhere]) await front[Symbol.asyncDispose]()
  }
  return { world, api, auth, elsewhere, environment, [Symbol.asyncDispose]: close }
}

const pointingTo = (origin: string) => {
  const page = `${origin}/api/v1/projects?page=2`
  return {
    headers: {
      link: `<${page}>; rel="next", <${page}>; rel="last"`,
      location: page,
      "content-location": page,
      refresh: `0; url=${page}`,
      "alt-svc": `h2="${new URL(origin).host}"; ma=3600`,
      "www-authenticate": `Bearer resource_metadata="${origin}/.well-known/oauth-protected-resource"`
    },
    fields: {
      next: page,
      next_page_url: page,
      links: { next: page, self: page },
      _links: { next: { href: page } },
      servers: [{ url: `${origin}/api/v1` }],
      issuer: origin,
      token_endpoint: `${origin}/identity/oauth/token`
    }
  }
}

describe("an answer that points to another origin", () => {
  it("by headers or fields of any name leads nowhere: token and secret stay where they belong", async () => {
    await using service = await apart()
    const { api, auth, elsewhere, world } = service
    api.dress = auth.dress = pointingTo(elsewhere.origin)
    const worker = world.start(service.environment)
    const { backfill } = await worker.status(
      "proven and verified",
      (report) => isVerified(report) && report.backfill["projects"]?.proof === "proven"
    )
    assert.deepInclude(backfill["projects"], { rows: 250, pagesTotal: 3 })
    assert.deepStrictEqual([elsewhere.connections, elsewhere.came], [0, []])
    const { clientSecret } = world.server.settings
    const holding = (front: Front, text: string) => front.came.filter((came) => came.text.includes(text)).length
    const written = new URLSearchParams({ secret: clientSecret }).toString().slice("secret=".length)
    assert.strictEqual(holding(auth, written), auth.came.length)
    for (const text of [written, clientSecret]) assert.strictEqual(holding(api, text), 0)
    assert.strictEqual(holding(api, '"authorization":"Bearer '), api.came.length)
    assert.strictEqual(holding(auth, '"authorization"'), 0)
  })

  it.each([301, 302, 307, 308])(
    "by a redirect (%s) is a reason for walk and subscription, until it ends",
    async (status) => {
      await using service = await apart()
      const { api, elsewhere, world } = service
      api.take = (response, what) =>
        response.writeHead(status, { location: elsewhere.origin + what.replace(/^\w+ /, "") }).end()
      const worker = world.start(service.environment)
      const sentence = `The service redirects \\(${status}\\), which isn't followed: check SITELEDGER_BASE_URL`
      const both = [new RegExp(`^There is no subscription to events\\. ${sentence}`), new RegExp(`^${sentence}`)]
      await worker.status("both say so", ({ reasons }) => both.every((each) => reasons.some((one) => each.test(one))))
      api.take = () => "pass"
      const { subscription } = await worker.status("subscribed", isVerified)
      assert.deepStrictEqual(subscription.toDelete, [])
      await worker.live()
      assert.deepStrictEqual([elsewhere.connections, elsewhere.came], [0, []])
      assert.strictEqual(world.server.subscriptions.length, 1)
    }
  )
})
