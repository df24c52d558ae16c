/**
 * Why goals of `Figures.ts` are missed: where the time, the bytes and the memory go, from profiles of a whole worker.
 * The shares are of November 2026, on two cores.
 */
export interface Limit {
  readonly of: string
  readonly why: string
}

export const limits: ReadonlyArray<Limit> = [
  {
    of: "processor time of a delivery, bursts, catching up, `rebuild`",
    why:
      "one thread reads, folds, merges and writes each event, in 250 to 350 µs. A fifth of that is garbage " +
      "collection; SQLite, DuckDB, and reading and checking frames take a tenth each; the rest is spread over " +
      "functions of at most 2 % each. In a `rebuild`, the main thread spent 12 % of its time on collecting garbage, " +
      "10 on appending rows, 9 on reading bodies, 8 on reading stored rows again, 6 on merging, 4 on frames, and 14 " +
      "on books that the ledger no longer reads. On PostgreSQL, V8's own threads, which mostly collect garbage, use " +
      "29 % of the worker's processor time. The server uses two thirds as much as the worker, whose main thread " +
      "waits for the server a third of the time. With a heap that grows in larger steps, a rebuild uses a fifth less " +
      "processor time and 160 MB more. 30,000 events a second would leave 33 µs for each. A plain script that reads " +
      "the same bodies, parses them, appends them to a table of events and a table of IPCs, and inserts a fact or an " +
      "entry for each, without order, versions, checks or proof, handles 28,000 a second here"
  },
  {
    of: "processor time at 100/s",
    why:
      "events are applied about ten times a second, so that they are visible within 0.1 s. Each batch takes 11 ms of " +
      "the main thread and 7 ms of DuckDB's threads: a dozen statements of 0.3 to 2 ms each, however few rows they " +
      "touch. A payment has a transaction of its own in the books, of 2 ms, because it is posted within 20 ms; a " +
      "quarter of these deliveries are payments. Receiving takes 0.6 ms for each delivery, because each is flushed " +
      "alone. Larger batches would help, but would miss the other goal. A copy for analysts is made at most once a " +
      "minute, from the one before it"
  },
  {
    of: "bytes written for a delivery",
    why:
      "of 16 kB at 100/s, 6 were pages of SQLite's write-ahead log (1 kB for each page of a table or an index that a " +
      "commit changes; there were about 50 commits a second, of which 30 are left since only payments have their " +
      "own), 4 the same pages as checkpoints write them, 2.1 DuckDB's log, 2.1 the body in both files of the inbox, " +
      "and 2.0 the log of rows. A stream fills its pages better. On PostgreSQL with 100,000 events it was 61 kB: 35 " +
      "of WAL, 23 of pages that the checkpoint writes, and 3 of new pages. Four indexes have random keys (the body's " +
      "hash twice, the event's id twice). With millions of events, each delivery therefore touches four pages for " +
      "the first time since the checkpoint, which the bench makes right before, and each of them is logged as a " +
      "full-page image. That is 27 of 33 kB of WAL, or 27 MB for 1,000 deliveries; without full-page images the WAL " +
      "has 5 kB of records. If checkpoints are far apart, more deliveries touch a page that is already logged"
  },
  {
    of: "`/status` meanwhile",
    why:
      "an answer reads SQLite beside the open transaction, but in the same thread. Each of its dozen queries waits " +
      "for what that thread is doing: it reads, merges and writes thousands of events at a time, and collects " +
      "garbage"
  },
  {
    of: "idle",
    why:
      "on PostgreSQL a worker sends four statements a second, of about 0.4 ms each: one to keep the lead, one to see " +
      "that its connections and those of others are alive, one, every other second, to say that it is there, and one " +
      "for everything that other workers may have stored, walked or learned. Of the rest, a third collects young " +
      "garbage, about 0.3 MB a second. On DuckDB the rest is polling: once a second, the worker checks the log of " +
      "rows and the copies of the inbox"
  },
  {
    of: "memory, idle",
    why:
      "94 MB are pages of Node's and DuckDB's own files and of the system's libraries, which all processes share: they " +
      "are there before the first event, and a bare Node has 30 of them. The heaps of the two threads are 27 and 9 MB, " +
      "and the program's text is 4. Node, SQLite and DuckDB have allocated 20 MB after a start, and up to 31 once every " +
      "part of every table has been read, as for a whole copy, or after a burst: DuckDB keeps notes about each part " +
      "that it has read, until the file is closed. Gaps between them take 5 to 8. After a quiet minute, a worker " +
      "gives back what it can read, look up or compile again: cached blocks and pages, rows and their numbers, the " +
      "filters of known bodies, and the code that V8 has made of its functions. On DuckDB, the memory after a burst was " +
      "measured in a second run on the same day"
  },
  {
    of: "`ledger verify`",
    why:
      "the main thread starts, reads the bodies and compares the warehouse. A second thread reads the books of each " +
      "IPC, folds its facts and checks their links. For 100,000 entries, on a machine loaded with five times the " +
      "work of its two cores, they take 5.3 and 5.8 s of processor time; V8's own threads, which compile and collect " +
      "garbage, take 2.2 s, and DuckDB's 0.9 s. 6 s would leave 12 for all of them together. Reading, hashing and " +
      "parsing bodies, facts and entries once, and nothing else, takes 2 s. In the second thread SQLite takes three " +
      "tenths of the time, the links and the fold a seventh each, the order of the certified IPCs a tenth, and " +
      "nothing else more than a twelfth. After a crash, SQLite first checks its file's structure for 0.4 s. None of " +
      "these saves anything: a larger cache for SQLite, more room for young objects, other settings of V8's " +
      "compilers, a single thread that collects garbage, or giving the main thread parts of the books once it has " +
      "read the bodies. Both cores are busy nine tenths of the time. Mapping SQLite's file into memory would save " +
      "half a second, but a page that the disk can't read would then end the process. On PostgreSQL two threads read " +
      "the books. All threads of the worker take 11.8 s, and the server takes 3.8: 0.9 for the bodies, 0.9 for the " +
      "facts with their links, 0.7 for the IPC before each, 0.4 for the entries, and the rest to send 225 MB. " +
      "Sending them as JSON, which the worker parses faster, cost the server 3 s more. Prepared statements save 0.2 " +
      "s, and a socket that always reads into the same buffer saves nothing"
  },
  {
    of: "the slowest list of the dashboard",
    why:
      "on DuckDB an entry, because what it rests on is looked up by its event's id among 1,000,000; on PostgreSQL " +
      "records whose ids begin with a text, which the key's index can't find if the server sorts texts by a language"
  },
  {
    of: "a report of the books",
    why:
      "a statement and open amounts by age fold the books of each IPC from its facts, as of any day: 70 µs for each " +
      "on SQLite, and 127 on PostgreSQL. Nothing is kept between two reports"
  },
  {
    of: "many lists: peak memory",
    why:
      "DuckDB alone, filled by its appender with 600,000 rows in transactions of 10,000, takes 210 MB beyond its " +
      "process with a limit of 128 MB, and 160 with a limit of 64, whether the rows go into 8 tables or 120. About " +
      "100 MB are pages of Node's and DuckDB's own files. The rest is a heap that is collected when it has grown by " +
      "half, and up to 128 pages in flight or waiting. At each checkpoint DuckDB rewrites the end of every table " +
      "that has new rows. With one page of each of 120 lists in turn, that took three times the processor time of a " +
      "single table, and more with each million rows, so the pages of a list come in stretches"
  },
  {
    of: "export of many wide tables",
    why:
      "bare DuckDB, in one thread, takes 4.3 s of processor time to COPY 500 tables of 65 columns and 200 rows into " +
      "a file each (8.6 ms a file, with any compression), and 0.3 s for the same rows in one table and file: 13 " +
      "times as much. Reading the footers then takes 0.5 s instead of 0.06. With 4,000 rows in each table, it takes " +
      "20 ms a table, and 12.5 for as many rows of one large table. A fingerprint takes 5 to 7.5 ms, of which 2.4 " +
      "are planning, and 2.6 for as many rows of one large table. Two tables are written at once, but the work after " +
      "the last one (footers, hashes and flushes of 500 files) is done in one thread"
  },
  {
    of: "the whole copy for analysts of many wide tables on PostgreSQL",
    why:
      "60 s of processor time for 500 tables of 66 columns and 200 rows. 16 make the tables, because DuckDB's only " +
      "way to describe a column is a statement that makes its table's entry again (0.35 ms for each of 33,000). 26 " +
      "read what the server sends (51 ms a table, of which values of 65 columns take 33 and the escapes of texts " +
      "14). About 10 write the values, the statistics and a compression of each column. Only the very first copy, " +
      "and one after new columns, is whole"
  },
  {
    of: "PostgreSQL, load and stream",
    why:
      "COPY writes what it is given. The worker parses, looks up and merges each row in one thread, in 21 µs. The " +
      "server takes 17: 10 to insert the row, as much as a COPY of the same row, and most of the rest for the ids " +
      "that a walk has seen, which prove it. Rows are merged while others are inserted, but a page's ids are noted " +
      "after its rows, and the worker waits for that. In a stream, each body crosses the connection three times: " +
      "when it is received, when it is read to be applied, and when it is written as an event"
  },
  {
    of: "receiver alone",
    why:
      "its thread is busy all the time. Of that time, 19 % goes to writing answers to sockets, 17 to collecting " +
      "garbage, 7 to the two hashes of a body, 5 to writing and flushing frames, a hundred deliveries at a time, and " +
      "4 to checking whether a body is known. The rest is `node:http`, as in the bare server, at 1 to 2 % a " +
      "function. A delivery takes 66 to 74 µs; in the bare server, which keeps nothing, it takes 30 to 38. On " +
      "PostgreSQL the receiver's COPY into the inbox and the server's part of it share the two cores"
  },
  {
    of: "accepted, of the closest peer",
    why:
      "the peer takes 258 µs of processor time for a delivery and we take 255, without the database's. We take more " +
      "deliveries in the same time because the peer waits for a transaction for each. Five times its rate would " +
      "leave 46 µs for everything, which is what the bare server takes although it keeps nothing. In an open loop at " +
      "its own greatest rate, the peer's p99 is lower because it has nothing left to do after its answer, whereas we " +
      "apply on the same two cores"
  },
  {
    of: "oldest pending, under a stream",
    why:
      "64 connections deliver 6,000 to 7,000 a second for two minutes, and 4,000 to 5,000 a second are applied; the " +
      "difference waits. The receiver could be slowed down to that rate, but a delivery on disk is safe and one that " +
      "the service still holds is not, so deliveries are taken as they come. Payments don't wait behind them: the " +
      "ledger hears of waiting events before and during each batch, and posts within half a second, even while " +
      "DuckDB writes a checkpoint for two"
  },
  {
    of: "peak memory of a load",
    why:
      "of 505 MB, about 100 are pages of Node's and DuckDB's own files, and up to 128 are what DuckDB takes for the " +
      "copy for analysts after the load. The plain script, which keeps only a page and DuckDB's cache, takes 342. " +
      "The rest are the pages in flight (as many as their writer needs), their merged rows, and a heap that is " +
      "collected when it has grown by half. If it is collected more often, a load takes a sixth longer"
  },
  {
    of: "export",
    why:
      "of 3.4 s that 2,000,000 rows took, the days of events were 1.5, the parts of IPCs 1.0, the fingerprints 0.5, " +
      "and hashes, uploads, manifest and pointer 0.3. Until then DuckDB gave back freed memory at once; now it gives " +
      "back 12 MB at a time, which saves a third of the processor time. The COPY that it is compared with writes one " +
      "file for each table, with all the memory that it wants. Ours writes one file for each day of events, within a " +
      "memory limit, beside a worker that keeps running. On PostgreSQL every row crosses the connection, is read " +
      "into DuckDB and written from there; the COPY that it is compared with only sends it. Both cores are busy all " +
      "the time. The server takes 54 % of it: 27 to send the rows, as in COPY, 20 for the fingerprints of days and " +
      "parts, so that unchanged ones needn't be sent again, and 7 for the connection. DuckDB takes 30 % to read and " +
      "write them, and the main thread 8 % to pass them on. Without fingerprints the ratio would be 0.6. In a whole worker with " +
      "10,000,000 events and 1,000,000 IPCs, DuckDB's ratio was 0.81 to 1.0 in two runs, its processor time 0.87 to " +
      "1.07 of COPY's, and the peak 407 to 415 MB. An export after which nothing has changed takes 1.8 s"
  },
  {
    of: "copy for analysts, some events changed, on PostgreSQL",
    why:
      "each table is read completely once, to count its rows and to find those that younger transactions wrote, which " +
      "no index shows. The server uses one process for that, because a comparison of a row's transaction with another " +
      "one's age can't run in parallel: 0.9 s for 4,000,000 rows of 480 bytes, of which counting alone takes 0.5. " +
      "Written so that it can run in parallel, it took 1.5 s on two cores. Copies are made further apart if they take " +
      "longer, here every four minutes"
  },
  {
    of: "live after a stop",
    why:
      "1.1 s of the main thread, before it waits for anything: a third loads 4 MB of program, a tenth collects " +
      "garbage, and then SQLite and DuckDB are opened, while the inbox's thread reads the ends of its files. With " +
      "5,000,000 events it took 1.4 s when the page cache still held what is read of 6 GB of inbox and 1.6 GB of " +
      "warehouse, and 2.2 to 2.4 s when it didn't"
  }
]
