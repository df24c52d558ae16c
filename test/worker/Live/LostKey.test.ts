/** The key that a single worker makes in its data directory: what happens to the secrets if it is lost. */
import { rmSync } from "node:fs"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { raises } from "../../Raised.ts"
import { isVerified } from "../Past.ts"
import { World } from "../World.ts"

it("webhook secrets are sealed with a key; if it is lost, Status says so and another subscription is made", async () => {
  await using world = await World.open({ projects: 3 })
  const first = world.start()
  await first.status("verified", isVerified)
  const before = await first.scrape()
  await first.stop()
  for (const name of ["key", "key.copy"]) rmSync(join(world.dataDir, name))
  const second = world.start()
  const report = await second.status("verified again", isVerified)
  assert.match(report.reasons.join(), /can't be opened/)
  assert.isAbove((await second.metric("siteledger_webhook_secrets", '{state="unreadable"}')) ?? 0, 0)
  await raises("SiteledgerSecretUnreadable", before, await second.scrape())
  assert.strictEqual(world.server.subscriptions.length, 2)
  const { toDelete } = report.subscription
  assert.strictEqual(toDelete.length, 1)
  assert.strictEqual((await world.run("secret", "retire", toDelete[0]?.fingerprint ?? "")).code, 0)
  assert.deepStrictEqual((await second.live()).subscription.toDelete, [])
})
