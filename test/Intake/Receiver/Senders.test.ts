/** The sender of a request: the peer, or the address that a trusted proxy names. */
import type { IncomingMessage } from "node:http"
import { BlockList } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { Senders } from "../../../src/Intake/Receiver/Senders.ts"

const proxies = new BlockList()
proxies.addSubnet("10.0.0.0", 8, "ipv4")
proxies.addSubnet("2001:db8:1::", 48, "ipv6")
const senders = new Senders(proxies)

/** The sender of a request that came from 10.0.0.1. */
const behind = (headers: Readonly<Record<string, string>>): string =>
  senders.behindProxy({ headers, socket: { remoteAddress: "::ffff:10.0.0.1" } } as unknown as IncomingMessage)

describe("the sender of a connection", () => {
  it("is its peer, of IPv6 the network that one customer has, and none for a trusted proxy", () => {
    assert.strictEqual(senders.ofPeer("192.0.2.1"), "192.0.2.1")
    assert.strictEqual(senders.ofPeer("::ffff:192.0.2.1"), "192.0.2.1")
    assert.strictEqual(senders.ofPeer("2001:db8:2:3:4:5:6:7"), senders.ofPeer("2001:DB8:2:3::9"))
    assert.notStrictEqual(senders.ofPeer("2001:db8:2:3::9"), senders.ofPeer("2001:db8:2:4::9"))
    assert.strictEqual(senders.ofPeer("fe80::1%eth0"), senders.ofPeer("fe80::2"))
    for (const proxy of ["10.1.2.3", "::ffff:10.1.2.3", "2001:db8:1::7"]) assert.isUndefined(senders.ofPeer(proxy))
  })
})

describe("the sender of a request behind a trusted proxy", () => {
  it.each([
    ["192.0.2.1", "192.0.2.1"],
    ["203.0.113.9, 192.0.2.1", "192.0.2.1"],
    ["203.0.113.9, 192.0.2.1 , 10.0.0.2,2001:db8:1::7", "192.0.2.1"],
    ["192.0.2.1:4711", "192.0.2.1"],
    ["[2001:db8:2:3::9]:4711", "2001:db8:2:3"],
    ["10.0.0.3, 10.0.0.2", "10.0.0.3"],
    ["192.0.2.1, unknown", "10.0.0.1"],
    ["", "10.0.0.1"]
  ])("is the last address in X-Forwarded-For that isn't a proxy: %s", (list, sender) => {
    assert.strictEqual(behind({ "x-forwarded-for": list }), sender)
    assert.strictEqual(behind({ "x-forwarded-for": list, forwarded: "for=198.51.100.1" }), sender)
  })

  it.each([
    ["for=192.0.2.1;proto=https", "192.0.2.1"],
    ['proto=https;For="[2001:db8:2:3::9]:4711"', "2001:db8:2:3"],
    ['for="x, for=192.0.2.1', "192.0.2.1"],
    ["for=203.0.113.9, for=192.0.2.1, for=10.0.0.2", "192.0.2.1"],
    ["for=192.0.2.1, for=_hidden", "10.0.0.1"]
  ])("is the last such one in Forwarded: %s", (forwarded, sender) => {
    assert.strictEqual(behind({ forwarded }), sender)
  })
})
