/**
 * Becomes `dist/main.cjs`: runs the worker or the verbs, which are built beside it, from code that V8 compiled in an
 * earlier process. That code is kept in the folder of Node's compile cache. If it isn't there, can't be read, is damaged
 * or belongs to another program, V8 compiles the source, and this process keeps the code unless it fails.
 *
 * Node's compile cache would do this too, but holds what it has read for as long as the process runs (4 MB), and keeps
 * only what V8 compiles before a file runs.
 */
import { readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { join, resolve } from "node:path"
import { cachedDataVersionTag } from "node:v8"
import { constants, Script } from "node:vm"
import { crc32 } from "node:zlib"

const given = process.argv.slice(2)

/** With any flag, the verbs run it: they know all that help and completions are about. */
const name = given.length === 1 && given[0] === "start" ? "worker" : "verbs"

/** Written by bin/build.ts: an expression that is a function of what Node gives a CommonJS module. */
const program = join(import.meta.dirname, `${name}.cjs`)

const { NODE_COMPILE_CACHE: folder = "", NODE_DISABLE_COMPILE_CACHE: disabled = "" } = process.env

const isKept = folder !== "" && disabled === ""

const user = process.getuid?.() ?? 0

/** Another version of V8, other flags of it and another processor need code of their own, and so does another user. */
const tag = crc32(`${program} ${user}`, cachedDataVersionTag()).toString(16)

const kept = join(resolve(folder), `siteledger-${name}-${tag}`)

/** They compile hardly anything that other verbs need. */
const isSaidOnly = given.length === 0 || given.some((word) => /^(-h|--help|--version|--completions)/.test(word))

/**
 * After 10 s, a worker has compiled what its start needs, V8 hasn't yet dropped what only the start needed, and no flag
 * of V8 has been changed (src/Runtime/Rest.ts), after which no other process would take the code.
 */
const longestMs = 10_000

/** Before the code: checksums of the source, of which V8 only compares the length, and of the code. */
const headerBytes = 8

const headerOf = (sum: number, code: Uint8Array): Buffer => {
  const header = Buffer.alloc(headerBytes)
  header.writeUInt32LE(sum)
  header.writeUInt32LE(crc32(code), 4)
  return header
}

/** Only one's own file counts: another user could have written anything into it. */
const read = (sum: number): Buffer | undefined => {
  try {
    const bytes = readFileSync(kept)
    const code = bytes.subarray(headerBytes)
    const isOwn = process.getuid === undefined || statSync(kept).uid === user
    return isOwn && headerOf(sum, code).equals(bytes.subarray(0, headerBytes)) ? code : undefined
  } catch {
    return undefined
  }
}

/** Readers find a whole file or none. Fails unless Node could make the folder. */
const write = (sum: number, script: Script): void => {
  const unfinished = `${kept}.${process.pid}-${process.hrtime.bigint()}`
  // Tried first, because making the code takes time.
  writeFileSync(unfinished, "", { flag: "wx", mode: 0o600 })
  try {
    const code = script.createCachedData()
    writeFileSync(unfinished, Buffer.concat([headerOf(sum, code), code]))
    renameSync(unfinished, kept)
  } catch (error) {
    rmSync(unfinished, { force: true })
    throw error
  }
}

const keepOnce = (sum: number, script: Script): void => {
  const keep = (): void => {
    clearTimeout(timer)
    process.off("exit", ended)
    try {
      write(sum, script)
    } catch {
      // The next process compiles the source again.
    }
  }
  const ended = (code: number): void => {
    if (code === 0) keep()
  }
  const timer = setTimeout(keep, longestMs).unref()
  process.once("exit", ended)
}

const load = (): Script => {
  const source = readFileSync(program)
  const sum = crc32(source)
  const code = isKept ? read(sum) : undefined
  const script = new Script(source.toString("latin1"), {
    filename: program,
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
    ...(code === undefined ? {} : { cachedData: code })
  })
  const isNew = code === undefined || script.cachedDataRejected === true
  if (isKept && isNew && !isSaidOnly) keepOnce(sum, script)
  return script
}

const module = { exports: {} }
const run = load().runInThisContext() as (...given: ReadonlyArray<unknown>) => void
run(module.exports, createRequire(program), module, program, import.meta.dirname)
