/**
 * Runs the worker's bundle that lies beside it, from what V8 made of it in an earlier process: hundreds of workers are
 * started, and Node's own compile cache has only what V8 makes of a file before it runs, so that each start would compile
 * most functions again. With COMPILED=write it writes that down as it ends.
 *
 * V8 looks at no more than the length of the source, so Bundle.ts removes what was made of another bundle.
 */
"use strict"
const { readFileSync, writeFileSync } = require("node:fs")
const Module = require("node:module")
const { join } = require("node:path")
const { Script, constants } = require("node:vm")

const filename = join(__dirname, "main.cjs")
const compiled = `${filename}.compiled`

const isWriting = process.env.COMPILED === "write"
const cachedData = isWriting ? undefined : readFileSync(compiled)

const opening = "(function (exports, require, module, __filename, __dirname) {"
const script = new Script(`${opening}${readFileSync(filename, "latin1")}\n})`, {
  filename,
  columnOffset: -opening.length,
  importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  ...(cachedData === undefined ? {} : { cachedData })
})
if (isWriting) process.once("exit", () => writeFileSync(compiled, script.createCachedData()))

const made = new Module(filename, null)
made.filename = filename
script.runInThisContext()(made.exports, Module.createRequire(filename), made, filename, __dirname)
