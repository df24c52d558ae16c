/**
 * Becomes `dist/main.cjs`: runs the worker or the verbs, which are built beside it, from the code that V8 made of the
 * program in an earlier process, and which lies in the folder of Node's compile cache. If it isn't there, can't be read,
 * or is damaged or of another program, V8 compiles the source, and this process writes a new file.
 *
 * Node's compile cache would do this too, but holds what it has read for as long as the process runs (4 MB), and keeps
 * only what V8 makes of a file before it runs.
 */
import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { join } from "node:path"
import { cachedDataVersionTag } from "node:v8"
import { constants, Script } from "node:vm"
import { crc32 } from "node:zlib"

const name = process.argv[2] === "start" ? "worker" : "verbs"

/** Written by bin/build.ts: an expression that is a function of what Node gives a CommonJS module. */
const program = join(import.meta.dirname, `${name}.cjs`)

const folder = process.env["NODE_COMPILE_CACHE"] ?? ""

/** Another version of V8, other flags of it and another processor need code of their own. */
const kept = join(folder, `siteledger-${name}-${crc32(program, cachedDataVersionTag()).toString(16)}`)

/**
 * A worker has compiled what its start needs by then, V8 hasn't yet dropped what only the start needed, and no flag of V8
 * has been changed (src/Runtime/Rest.ts), after which no other process would take the code.
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

const read = (sum: number): Buffer | undefined => {
  try {
    const bytes = readFileSync(kept)
    const code = bytes.subarray(headerBytes)
    return headerOf(sum, code).equals(bytes.subarray(0, headerBytes)) ? code : undefined
  } catch {
    return undefined
  }
}

/** Node has made the folder. Readers find a whole file or none. */
const write = (sum: number, script: Script): void => {
  const unfinished = `${kept}.${process.pid}`
  try {
    // Tried first, because making the code takes time.
    writeFileSync(unfinished, "", { flag: "wx", mode: 0o600 })
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
    process.off("exit", keep)
    try {
      write(sum, script)
    } catch {
      // The next start compiles the source again.
    }
  }
  const timer = setTimeout(keep, longestMs).unref()
  process.once("exit", keep)
}

const load = (): Script => {
  const source = readFileSync(program)
  const sum = crc32(source)
  const code = folder === "" ? undefined : read(sum)
  const script = new Script(source.toString("latin1"), {
    filename: program,
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
    ...(code === undefined ? {} : { cachedData: code })
  })
  const isNew = code === undefined || script.cachedDataRejected === true
  if (folder !== "" && isNew) keepOnce(sum, script)
  return script
}

const module = { exports: {} }
const run = load().runInThisContext() as (...given: ReadonlyArray<unknown>) => void
run(module.exports, createRequire(program), module, program, import.meta.dirname)
