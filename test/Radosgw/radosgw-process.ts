/**
 * Owns the tests' radosgw, which is Ceph's S3: a monitor, one store in memory and the gateway, on ports of their own,
 * in a fresh folder. Prints its address on one line. When standard input ends, it stops everything and deletes the
 * folder.
 */
import { randomUUID } from "node:crypto"
import { once } from "node:events"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { eventually, run, start, stopAll } from "./Daemons.ts"
import type { Answer } from "../OwnProcess.ts"
import { credentials } from "./Credentials.ts"

const freePorts = async (count: number): Promise<ReadonlyArray<number>> => {
  const probes = Array.from({ length: count }, () => createServer().listen(0, "127.0.0.1"))
  await Promise.all(probes.map((probe) => once(probe, "listening")))
  const ports = probes.map((probe) => (probe.address() as { readonly port: number }).port)
  await Promise.all(probes.map((probe) => new Promise((closed) => probe.close(closed))))
  return ports
}

const folder = mkdtempSync(join(tmpdir(), "siteledger-radosgw-"))
const at = (name: string): string => join(folder, name)
const conf = at("ceph.conf")
const id = randomUUID()
const [port = 0, v1 = 0, v2 = 0] = await freePorts(3)
const monitor = `[v2:127.0.0.1:${v2},v1:127.0.0.1:${v1}]`

/** Without cephx radosgw doesn't start; one copy of everything, in memory. */
const settings = `[global]
fsid = ${id}
mon host = ${monitor}
auth cluster required = cephx
auth service required = cephx
auth client required = cephx
osd pool default size = 1
osd pool default min size = 1
osd pool default pg num = 1
osd pool default pgp num = 1
osd pool default pg autoscale mode = off
osd crush chooseleaf type = 0
osd crush initial weight = 1
osd objectstore = memstore
memstore device bytes = 4294967296
mon allow pool size one = true
mon max pg per osd = 5000
mon data avail crit = 1
ms bind ipv6 = false
public network = 127.0.0.0/8
cluster network = 127.0.0.0/8
run dir = ${folder}
admin socket = ${at("$name.asok")}
pid file = ${at("$name.pid")}
log file = ${at("$name.log")}
mon cluster log file = ${at("cluster.log")}
osd data = ${at("osd")}
mon data = ${at("mon")}
keyring = ${at("keyring")}
rgw frontends = beast endpoint=127.0.0.1:${port}
rgw enable usage log = false
rgw enable ops log = false
`

const keyOf = (name: string, ...caps: ReadonlyArray<string>): Promise<string> =>
  run(
    "ceph-authtool",
    at("keyring"),
    "--gen-key",
    "-n",
    name,
    ...caps.flatMap((cap) => ["--cap", ...cap.split(" ", 1), cap.slice(cap.indexOf(" ") + 1)])
  )

const open = async (): Promise<void> => {
  writeFileSync(conf, settings)
  for (const name of ["mon", "osd"]) mkdirSync(at(name))
  await run("monmaptool", "--create", "--fsid", id, "--addv", "a", monitor, at("monmap"))
  writeFileSync(at("keyring"), "")
  await keyOf("mon.", "mon allow *")
  await keyOf("client.admin", "mon allow *", "osd allow *", "mgr allow *")
  await keyOf("osd.0", "mon allow profile osd", "osd allow *")
  await keyOf("client.rgw", "mon allow rwx", "osd allow rwx")
  await run("ceph-mon", "-c", conf, "--mkfs", "-i", "a", "--monmap", at("monmap"), "--keyring", at("keyring"))
  start("ceph-mon", "-c", conf, "-i", "a")
  const osd = randomUUID()
  await eventually("ceph-mon", () => run("ceph", "-c", conf, "--connect-timeout", "5", "osd", "new", osd))
  await run("ceph-osd", "-c", conf, "-i", "0", "--mkfs", "--osd-uuid", osd)
  start("ceph-osd", "-c", conf, "-i", "0")
  const { accessKeyId, secretAccessKey } = credentials
  const user = ["--uid=tests", "--display-name=tests", `--access-key=${accessKeyId}`, `--secret-key=${secretAccessKey}`]
  await run("radosgw-admin", "-c", conf, "user", "create", ...user)
  start("radosgw", "-c", conf, "-n", "client.rgw")
  await eventually("radosgw", () => fetch(`http://127.0.0.1:${port}/`))
}

const tell = (answer: Answer): void => void process.stdout.write(`${JSON.stringify(answer)}\n`)

// The process that asked may be gone before the answer.
process.stdout.on("error", () => undefined)
process.stdin.resume()
const left = once(process.stdin, "close")
const failed = await Promise.race([open(), left]).then(
  () => undefined,
  (cause: unknown) => String(cause)
)
tell(failed === undefined ? { url: `http://127.0.0.1:${port}` } : { failed })
await left
await stopAll()
rmSync(folder, { recursive: true, force: true })
