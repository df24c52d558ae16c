/** Programs that compute a delivery's signature (interface document §6.2) without any code of this project. */
import { spawnSync } from "node:child_process"
import { createHmac } from "node:crypto"

export interface Signer {
  readonly name: string
  /** Why it can't be used here. */
  readonly missing: string | undefined
  /** One for each body, in lower-case hex. */
  readonly sign: (secret: string, bodies: ReadonlyArray<Uint8Array>) => ReadonlyArray<string>
}

const run = (program: string, options: ReadonlyArray<string>, input: string | Uint8Array): ReadonlyArray<string> => {
  const { stderr, stdout } = spawnSync(program, options, { input, encoding: "utf8" })
  const found = (stdout ?? "").match(/\b[0-9a-f]{64}\b/g)
  if (found === null) throw new Error(`${program} printed no signature: ${stdout ?? ""}${stderr ?? ""}`)
  return found
}

const openssl: Signer["sign"] = (secret, bodies) =>
  bodies.flatMap((body) => run("openssl", ["dgst", "-sha256", "-hmac", secret], body))

const inPython = `
import hashlib, hmac, sys
for line in sys.stdin:
  print(hmac.new(sys.argv[1].encode(), bytes.fromhex(line), hashlib.sha256).hexdigest())
`

/** In one process, because its start takes long. */
const python: Signer["sign"] = (secret, bodies) => {
  const lines = bodies.map((body) => Buffer.from(body).toString("hex"))
  return run("python3", ["-c", inPython, secret], lines.join("\n"))
}

const crypto: Signer["sign"] = (secret, bodies) =>
  bodies.map((body) => createHmac("sha256", secret).update(body).digest("hex"))

const tried = (name: string, sign: Signer["sign"]): Signer => {
  try {
    sign("secret", [Buffer.from("body")])
    return { name, missing: undefined, sign }
  } catch {
    return { name, missing: `${name} is not installed`, sign }
  }
}

export const signers: ReadonlyArray<Signer> = [
  tried("openssl", openssl),
  tried("python3", python),
  tried("node:crypto", crypto)
]

for (const { missing } of signers) if (missing !== undefined) process.stderr.write(`skipped: ${missing}\n`)
