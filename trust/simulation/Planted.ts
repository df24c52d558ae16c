/**
 * Breaks of one place each, planted into a copy of the real modules: the simulation has to detect every one of them.
 * `find` occurs exactly once in its file.
 */
import { at, type Break } from "./Break.ts"
import { delivering, exporting, posting } from "./PlantedMoney.ts"

const batch = at("src/Intake/Apply/Batch.ts")
const apply = at("src/Intake/Apply.ts")
const hearing = at("src/Intake/Apply/Hearing.ts")
const readings = at("src/Intake/Apply/Readings.ts")
const inbox = at("src/Intake/Inbox.ts")
const groups = at("src/Intake/Receiver/Groups.ts")
const merge = at("src/Domain/Merge.ts")
const draft = at("src/Domain/Draft.ts")
const pass = at("src/Walk/Pass.ts")
const together = at("src/Walk/Together.ts")
const verdict = at("src/Walk/Verdict.ts")
const checkpoints = at("src/Walk/Checkpoints.ts")
const slots = at("src/Walk/Slots.ts")
const spending = at("src/Walk/KeptSpending.ts")
const deliveries = at("src/Stores/Segments/Deliveries.ts")
const client = at("connectors/construction/ConstructionClient.ts")
const changes = at("connectors/construction/ConstructionChanges.ts")

const intake: ReadonlyArray<Break> = [
  apply("turn.withPermit(next)", "next", "an event of the future loses the delivery that comes meanwhile"),
  apply(
    "replay(counts, turn, { dueBy: Instant.fromMillis(nowMs) })",
    "Effect.succeed({ applied: nowMs * 0 })",
    "events of the future stay in quarantine"
  ),
  apply(
    "if (taken === 0) return",
    "if (taken === 0) return yield* Effect.andThen(Effect.sleep(1000), inbox.arrived.close)",
    "what arrives during a batch waits for the next delivery"
  ),
  apply("        yield* inbox.arrived.open\n", "", "a batch whose write failed isn't tried again"),
  batch(
    "hear(readings.filter(({ event }) => turn?.isHeard(event) !== true).flatMap(heard))",
    "hear([])",
    "payments are applied to rows and not posted"
  ),
  hearing(
    "deliveries === 1 && this.#heard.has(sequence)",
    "deliveries > 0 && sequence > 0",
    "what wasn't heard ahead of its turn is never heard"
  ),
  batch(
    "watermark === undefined ? {} : { watermark }",
    "watermark === undefined ? {} : { watermark: watermark + 1 }",
    "the watermark is above what is applied"
  ),
  batch("await quarantine(tx, written)", "await quarantine(tx, [])", "what can't be applied isn't in quarantine"),
  batch(
    '.where("sequence", "in", listedNumbers(tx, applied))',
    '.where("sequence", "in", listedNumbers(tx, []))',
    "what was applied stays in quarantine"
  ),
  batch(
    "const written = yield* write(readings, {",
    "yield* isWritten\n  const written = yield* write(readings, {",
    "entries whose copy failed are never copied"
  ),
  batch(
    "[...first, ...(yield* write(readings.slice(middle), tail))]",
    "first",
    "half of a batch with a refused event is left out"
  ),
  batch("readings.map(toRow)", "readings.slice(1).map(toRow)", "the first event of a batch isn't kept"),
  readings(
    "Instant.toMicros(eventTimestamp) - aheadMicros",
    "Instant.toMicros(eventTimestamp) + 30 * aheadMicros",
    "an event of the future waits too long"
  ),
  readings(
    "reading.reason !== null || reading.change === undefined || reading.eventTimestamp === null",
    "reading.change === undefined || reading.eventTimestamp === null || event.deliveries > 1",
    "the ledger doesn't hear what is delivered twice"
  ),
  inbox(
    "await store.deliveries.receive(batch)",
    "void store.deliveries.receive(batch).catch(() => 0)",
    "the 2xx is sent before the delivery is stored"
  ),
  groups(
    "batch.map(({ delivery }) => delivery)",
    "batch.slice(0, 1).map((each) => each.delivery)",
    "of deliveries that come together only one is stored"
  ),
  inbox("    arrived.openUnsafe()\n", "", "a delivery doesn't wake Apply"),
  deliveries(
    "await writeMeta(tx, watermarkKey, String(through))",
    "await writeMeta(tx, watermarkKey, String(through + 1))",
    "the next delivery is skipped"
  ),
  deliveries(
    "if (firsts.has(of) && !mentions.has(of)) mentions.set(of, frame.number)",
    'if (frame.kind === "first") mentions.set(of, frame.number)',
    "repeated deliveries aren't counted"
  )
]

const merging: ReadonlyArray<Break> = [
  draft(
    "if (!Version.isAfter(version, draft.versions[column])) return false",
    "if (draft.versions[column] !== undefined) return false",
    "the first value wins a field"
  ),
  draft("  draft.versions[column] = version\n", "", "the last value that arrives wins a field"),
  merge("change.seenAt < draft.firstSeenAt", "change.seenAt > draft.firstSeenAt", "when a record was first seen moves"),
  merge("change.seenAt > draft.changedAt", "change.seenAt < draft.changedAt", "when a record was last changed stays"),
  merge('let visible = change.source === "event"', "let visible = false", "an event that loses isn't news"),
  at("src/Domain/Resource.ts")("stages.findLast(", "stages.find(", "the status is the first stage"),
  at("src/Domain/Version.ts")(
    'String(micros).padStart(timeDigits, "0")}.${stage}',
    'String(micros).padStart(timeDigits, "0")}.${9 - stage}',
    "of two stages at one time the earlier wins"
  )
]

const walking: ReadonlyArray<Break> = [
  client(
    "Math.round(runningMs(clock) - beganMs)",
    "(clock.currentTimeMillisUnsafe() - startedMs)",
    "a clock that is set makes a page hours older or newer"
  ),
  changes(
    "const version = Version.make(page.observedMicros, 0, sha256)",
    "const version = Version.make(0, 0, sha256)",
    "an older page overwrites a newer one"
  ),
  pass(
    "yield* pass.write(state.resource, changes)\n  const next",
    "const next",
    "pages are checkpointed and not written"
  ),
  together(
    "yield* Sightings.announce(store, those.map(idsOf))",
    "",
    "a project that was written and not checkpointed is never buried"
  ),
  pass(
    "yield* Sightings.adopt(pass.store, pass.list.resource)",
    "",
    "a project that was announced and not checkpointed is never buried"
  ),
  verdict(
    "const deleted = isSame ? yield* buryAbsent(pass, state, (limit) => Sightings.absent(pass.store, state, limit)) : 0",
    "const deleted = 0",
    "removed projects stay"
  ),
  checkpoints(
    "previous !== undefined && previous.finished_at === null && previous.definition",
    "previous !== undefined && previous.definition",
    "a finished pass is taken for an interrupted one"
  ),
  at("src/Walk/Burial.ts")(
    'const version = Version.make(Instant.toMicros(at), 0, "")',
    'const version = Version.make(0, 0, "")',
    "tombstones lose against the rows"
  ),
  verdict("finished_at: Instant.fromMillis(now)", "finished_at: null", "the list is never walked again"),
  at("src/Walk/FinishedPages.ts")(
    "page <= total && pages.length",
    "page < total && pages.length",
    "the last page is left out"
  ),
  at("src/Walk/Sightings.ts")(
    'where(sql<number>`abs(last_pass)`, "<", pass - 1)',
    'where(sql<number>`abs(last_pass)`, "<", pass - 9)',
    "a removed project stays for hours"
  ),
  checkpoints(
    'await tx.deleteFrom("walk_pages").where("resource", "=", state.resource).execute()',
    "",
    "a pass takes the pages of the one before for its own"
  ),
  slots(
    "let next = Math.max(nextMs, nowMs + leadMs - catchUpMs)",
    "let next = nowMs + leadMs - catchUpMs",
    "more requests than the plan allows"
  ),
  at("src/Walk/Pace.ts")("      turns.take(at)\n", "", "a slot is used by several requests"),
  spending("await writeMeta(tx, nextKey, String(nextMs))", "", "the slots before a crash are used again")
]

export const breaks: ReadonlyArray<Break> = [...intake, ...merging, ...walking, ...posting, ...delivering, ...exporting]
