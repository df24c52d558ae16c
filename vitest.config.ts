/**
 * Three forked workers more than there are cores, as many tests wait most of their time; five at most, as they spawn workers
 * of their own, and the machines are small.
 * TEST_REPORT names a file for a JSON report beside the usual output (.ci/run counts from it).
 *
 * Files share a process (test/BetweenFiles.ts). Project `duckdb` is all tests, but for those that need a process of their
 * own (`alone`); project `postgres` is the end-to-end tests once more, each World on a database of its own
 * (test/worker/Place.ts), of an old PostgreSQL (test/PostgresServer.ts). `vitest run --project postgres` for one alone.
 */
import { availableParallelism } from "node:os"
import { join } from "node:path"
import { configDefaults, defineConfig } from "vitest/config"
import { missing } from "./test/PostgresServer.ts"

const report = process.env.TEST_REPORT

// What Node made of the packages is kept: each file has a process of its own, and loads them.
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, "node_modules/.cache/siteledger/compiled")

/** They are about a file that a server doesn't have, or start no worker: on PostgreSQL they could only repeat. */
const embeddedOnly = [
  // The demo brings its own place.
  "test/worker/{Demo,Filmed}.test.ts",
  // PostgreSQL refuses archives.
  "test/worker/Archives.test.ts",
  "test/worker/EraseArchives.test.ts",
  "test/worker/EraseArchivesKilled.test.ts",
  // Erased from a server: EraseServer.test.ts.
  "test/worker/Erase.test.ts",
  // Starts no worker.
  "test/worker/Login/Elsewhere.test.ts",
  // Both engines side by side already.
  "test/worker/{Doctor,Doctor/Backup,Doctor/Bucket,Doctor/Server,HeldUp,Migrate,Move}.test.ts",
  // The key is a file in the data directory; on a server all workers are given the same (Stores/Server.test.ts).
  "test/worker/Live/LostKey.test.ts",
  // The warehouse's or the Store's file deleted, old, rubbish, cut or out of reach; `siteledger backup` and `restore`; the
  // local disk full; the copy of the inbox in the warehouse's file.
  "test/worker/Stores/{File,Backup,BucketAway,DiskFull,LargeRebuild,Lost,OffMachine,TakenBack,Waiting}.test.ts",
  "test/worker/Dashboard/FullDisk.test.ts",
  // Brings a server of its own.
  "test/worker/Stores/Archived.test.ts",
  // The Store's file put back, or restored.
  "test/worker/Ledger/{AccrualsBack,PutBack}.test.ts"
]

/**
 * They vary what the service or a person sends before anything reaches a store, or what leaves it, so on PostgreSQL they
 * would prove little more: only `npm run test:long` repeats them there. Many.test.ts keeps the plan's rate across kills on
 * a server.
 */
const besideStores = [
  "test/worker/{Admin,BadInput,Bucket,Login,NewVersion,Outage,Principals,Rights,Sink,Unstarted,UserAgent,Verbs}.test.ts",
  "test/worker/{Log,Metrics,Telemetry,Watching,Resources/Changed,Resources/Parents}.test.ts",
  // Order at the level of rows is on both engines (test/Intake/Apply/Order.test.ts); the analysts' copy is the same code.
  "test/worker/{Analysts,Order}.test.ts",
  "test/worker/BadInput/*.test.ts",
  "test/worker/Doctor/Payload.test.ts",
  "test/worker/{Discover,Discover/Compared}.test.ts",
  "test/worker/Live/{Alerts,Creation,Secrets,SickToken,Skew,Waiting,Walks}.test.ts",
  "test/worker/Ledger/{Accounting,Alone,Arguments,Clerk,Label,PartPayments,Release,Unheard,Write}.test.ts",
  "test/worker/Login/Sandbox.test.ts",
  // What they read and write of a store is on both engines in test/Operate/{Records,Quarantine,History}.test.ts, in
  // test/Stores/{Nested,LearnedColumns,LookUps}.test.ts, test/Ledger/LinesKept.test.ts and Operate/Audit/Signed.test.ts.
  "test/worker/{History,NewFields,Quarantine,Records,Resources/Nested}.test.ts",
  "test/worker/Ledger/{Audit,Lines,LookUps}.test.ts",
  // The settings are the worker's own; test/worker/Doctor/Server.test.ts asks the doctor about a server.
  "test/worker/Setup.test.ts",
  // Any copy and any export is a file; test/Stores/Postgres/{Publication,Export}.test.ts make both from a server.
  "test/worker/LookedAt.test.ts",
  // RoughDay.test.ts is a day of the dashboard on a server, and Server.test.ts has its stream there.
  "test/worker/{Dashboard,Dashboard/Day}.test.ts"
]
const isLong = process.env.SITELEDGER_TEST_LONG === "yes"

/** They put other code in place of Node's before anything is loaded, or measure the memory of their own process. */
const alone = [
  "test/connectors/ConstructionWebhooks/ConstantTime.test.ts",
  "test/{Domain/Merge/Volume,Intake/Receiver/Encodings,Query/Query,Walk/Pass}.test.ts"
]

/** They depend on the server's version more than others, and run on the newest one too. */
const onOld = ["test/Stores/Postgres/{AppendOnly,Owner,Planted,Relocation,Replay,Roles}.test.ts"]

/** They start several workers on one database, look into its files, or take the server away. */
const serverOnly = ["test/worker/{EraseServer,Many,Rolling}.test.ts", "test/worker/Stores/{Server,Vanished}.test.ts"]

export default defineConfig({
  test: {
    globalSetup: "test/GlobalSetup.ts",
    setupFiles: "test/BetweenFiles.ts",
    pool: "forks",
    isolate: false,
    maxWorkers: Math.min(5, availableParallelism() + 3),
    // A hang is told soon enough; a slow machine is none.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    reporters: report === undefined ? ["default"] : ["default", ["json", { outputFile: report }]],
    projects: [
      {
        extends: true,
        test: {
          name: "duckdb",
          env: { SITELEDGER_TEST_ENGINE: "duckdb" },
          include: ["test/**/*.test.ts"],
          // A workspace below has packages that come with their own tests.
          exclude: [...configDefaults.exclude, ...serverOnly, ...alone]
        }
      },
      { extends: true, test: { name: "alone", isolate: true, include: alone } },
      // Where there is no PostgreSQL, test/GlobalSetup.ts says so.
      ...(missing() === undefined
        ? [
            {
              extends: true as const,
              test: {
                name: "postgres",
                env: { SITELEDGER_TEST_ENGINE: "postgres", SITELEDGER_TEST_ON_OLD_POSTGRES: "yes" },
                include: ["test/worker/**/*.test.ts", ...onOld],
                exclude: isLong ? embeddedOnly : [...embeddedOnly, ...besideStores]
              }
            }
          ]
        : [])
    ]
  }
})
