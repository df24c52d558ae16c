#!/usr/bin/env node
/**
 * The command that npm puts on PATH. It execs `bin/siteledger` with the Node that runs this file; on Windows, which has no exec,
 * the built worker runs as a child. Old versions of Node must be able to parse this file, because it tells their users what to do.
 */
"use strict"
const { spawn } = require("child_process")
const path = require("path")

const root = path.dirname(__dirname)
const given = process.argv.slice(2)
const [major, minor] = process.versions.node.split(".").map(Number)

const isOld = major < 22 || (major === 22 && minor < 19)
if (isOld) {
  process.stderr.write(
    `siteledger needs Node 22.19 or newer, and ${process.execPath} is ${process.version}: put a newer one first on PATH, ` +
      "or let npm fetch one: npx --package=node@24 --package=siteledger -- siteledger …\n"
  )
  process.exitCode = 1
} else if (process.platform === "win32" || process.execve === undefined) {
  const main = path.join(root, "dist", "main.cjs")
  const options = ["--disable-warning=ExperimentalWarning", main]
  const child = spawn(process.execPath, options.concat(given), { stdio: "inherit" })
  // A console sends ctrl-c to both processes: the worker stops first, and its exit code counts.
  process.on("SIGINT", () => {})
  child.on("exit", (code) => process.exit(code === null ? 1 : code))
} else {
  const folder = path.dirname(process.execPath)
  const PATH = [folder].concat(process.env.PATH || []).join(path.delimiter)
  const launcher = path.join(root, "bin", "siteledger")
  process.execve("/bin/sh", ["sh", launcher].concat(given), Object.assign({}, process.env, { PATH }))
}
