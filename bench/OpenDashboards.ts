/**
 * Opens COUNT dashboards, as the worker sees them: each has a session and a stream, which is read and thrown away.
 * Prints `ready` once every stream has had a message, and runs until it is killed.
 * Run: node bench/OpenDashboards.ts ADMIN TOKEN COUNT
 */
const [admin = "", token = "", count = "20"] = process.argv.slice(2)

const signedIn = async (): Promise<string> => {
  const body = JSON.stringify({ token })
  const answer = await fetch(`${admin}/session`, { method: "POST", headers: { origin: admin }, body })
  if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`)
  return answer.headers.get("set-cookie")?.split(";")[0] ?? ""
}

/** Resolves with the first message. */
const opened = async (): Promise<void> => {
  const stream = await fetch(`${admin}/stream`, { headers: { cookie: await signedIn() } })
  const reader = stream.body?.getReader()
  if (reader === undefined || !stream.ok) throw new Error(`the stream was answered with ${stream.status}`)
  await reader.read()
  const rest = async (): Promise<void> => {
    for (;;) if ((await reader.read()).done) return
  }
  void rest().catch(() => undefined)
}

await Promise.all(Array.from({ length: Number(count) }, opened))
process.stdout.write("ready\n")
