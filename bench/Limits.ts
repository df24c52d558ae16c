/**
 * Why goals of `Figures.ts` are missed: where the time, the bytes and the memory go, by profiles of a whole worker. The
 * shares hold for November 2026, on two cores.
 */
export interface Limit {
  readonly of: string
  readonly why: string
}

export const limits: ReadonlyArray<Limit> = [
  {
    of: "processor time of a delivery, bursts, catching up, `rebuild`",
    why:
      "one thread reads, folds, merges and writes each event in 250 to 350 µs: a fifth is spent on collecting garbage, " +
      "and a tenth each in SQLite, in DuckDB, and on reading and checking frames; what is left is spread over functions " +
      "of at most 2 % each. In a `rebuild`, 12 % of the main thread's time went to garbage, 10 to appending rows, 9 to " +
      "reading bodies, 8 to reading stored rows again, 6 to merging, 4 to frames, and 14 to books that the ledger no " +
      "longer reads. On PostgreSQL V8's own threads, which mostly collect garbage, use 29 % of the worker's processor " +
      "time, and the server two thirds as much as the worker, whose main thread waits for it for a third of the time. " +
      "With a heap that grows in larger steps a rebuild uses a fifth less, and 160 MB more. 30,000 events a second " +
      "would leave 33 µs for each: a plain script that reads the same bodies, parses them, appends them to a table of " +
      "events and one of IPCs, and inserts a fact or an entry for each, without order, versions, checks or proof, makes " +
      "28,000 a second here"
  },
  {
    of: "processor time at 100/s",
    why:
      "events are applied about ten times a second, so that they are there within 0.1 s, and each batch takes 11 ms of " +
      "the main thread and 7 ms of DuckDB's: a dozen statements of 0.3 to 2 ms, however few rows they are about. A " +
      "payment has a transaction of the books of its own, of 2 ms, as it is posted within 20 ms: a quarter of these " +
      "deliveries are payments. Receiving takes 0.6 ms for each delivery, which is flushed alone. Gathering for longer " +
      "would help, and break the other goal. A copy for analysts comes once a minute at the most and is made from the " +
      "one before it"
  },
  {
    of: "bytes written for a delivery",
    why:
      "of 16 kB at 100/s, 6 were pages of SQLite's log (1 kB for each page of a table or an index that a commit " +
      "changes, and there were about 50 commits a second, of which 30 are left since only payments have their own), 4 " +
      "the same pages as its checkpoints write them, 2.1 DuckDB's log, 2.1 the body in both files of the inbox, 2.0 the " +
      "log of rows. A stream fills its pages better. On PostgreSQL with 100,000 events it was 61 kB: 35 its log, 23 pages " +
      "as its checkpoint writes them and 3 new ones. Four indexes are over random keys (the body's hash twice, the " +
      "event's id twice), so with millions of events each delivery meets four pages for the first time since the " +
      "checkpoint, which the bench makes right before, and each is logged whole: 27 of 33 kB of its log, which is 27 MB " +
      "for 1,000 deliveries; without whole pages there are 5 kB of records in its log. A page is met again where " +
      "checkpoints are far apart"
  },
  {
    of: "`/status` meanwhile",
    why:
      "an answer looks at SQLite beside the transaction that is open, but from the same thread: each of its dozen looks " +
      "waits for what that thread is doing, which reads, merges and writes thousands of events at a time, and collects " +
      "garbage"
  },
  {
    of: "idle",
    why:
      "on PostgreSQL a worker sends four statements a second, of about 0.4 ms each: that it leads, that its connections " +
      "and those of others live, every second time that it is there, and one for all that other workers may have " +
      "stored, walked or learned. Of what is left, a third collects young garbage, about 0.3 MB a second. On DuckDB " +
      "what is left are looks at the log of rows and the copies of the inbox, once a second. With 5,000,000 events " +
      "there it was 0.3 % of a core and 213 to 243 MB over 20 minutes. The memory above was looked at 75 s after a copy " +
      "for analysts, and what was held to be fast is given back after two minutes: the bench waits longer since"
  },
  {
    of: "memory, idle",
    why:
      "about 100 MB are pages of Node's and DuckDB's own files (64 and 34), which all processes share: they are there " +
      "before the first event, and a bare Node has 30 of them. Once their garbage is collected, the heaps of three " +
      "threads are 39, 11 and 8 MB, of which the program's own text is 6, and compiled code 6 to 9 more. Node, SQLite " +
      "and DuckDB have allocated 25 to 45, up to a third of it free in pieces too small to give back, and 40 are " +
      "stacks, heaps of other threads and DuckDB's own allocator, with 11 of its cache for looks that come again. An " +
      "empty worker on DuckDB has 190 to 200 MB after its start"
  },
  {
    of: "`ledger verify`",
    why:
      "the main thread starts, reads the bodies and compares the warehouse, and a second one reads the books of each " +
      "IPC, folds its facts and checks their links: 5.3 and 5.8 s of processor time for 100,000 entries on a machine " +
      "with five times the work of its two cores, beside 2.2 s in V8's own threads, which compile and collect garbage, " +
      "and 0.9 s in DuckDB's. 6 s would leave 12 for all of them together. To read, hash and parse bodies, facts and " +
      "entries once, and nothing else, takes 2 s. Of the second thread's time SQLite has three tenths, the links and " +
      "the fold a seventh each, the order of the certified IPCs a tenth, and none of the rest more than a twelfth. " +
      "After a crash, SQLite checks its file's structure for 0.4 s before either begins. A larger cache of SQLite's, " +
      "more room for young objects, other settings of V8's compilers, a single thread that collects garbage, and parts " +
      "of the books for the main thread once it has read the bodies save nothing: both cores are busy nine tenths of the " +
      "time. Its file mapped would save half a second, but a page that the disk can't read would then end the process. On PostgreSQL two threads read the books, and beside 11.8 s of all threads the " +
      "server takes 3.8: 0.9 for the bodies, 0.9 for the facts with their links, 0.7 for the IPC before each, 0.4 for " +
      "the entries, and the rest to send 225 MB. As JSON, which is read sooner here, these took it 3 s more; statements " +
      "that are prepared save 0.2, and a socket that always reads into the same place saves nothing"
  },
  {
    of: "the slowest list of the dashboard",
    why:
      "an entry on DuckDB, as what it rests on is looked for by its event's id in 1,000,000; on PostgreSQL records " +
      "whose ids begin with a text, which the key's index doesn't find where the server orders texts by a language"
  },
  {
    of: "a report of the books",
    why:
      "a statement and open amounts by age fold the books of each IPC from its facts, as of any day: 70 µs for each " +
      "beside SQLite, and 127 on PostgreSQL. Nothing is kept between two of them"
  },
  {
    of: "many lists: peak memory",
    why:
      "DuckDB alone, filled by its appender with 600,000 rows in transactions of 10,000, takes 210 MB beyond its " +
      "process with a limit of 128 MB, and 160 with 64, whether they go into 8 tables or 120. About 100 MB are pages of " +
      "Node's and DuckDB's own files, and what is left are a heap that is collected when it has grown by half, and up " +
      "to 128 pages on their way or waiting. At each checkpoint DuckDB writes the end of every table again that has new " +
      "rows: with a page of each of 120 lists in turn that took three times the processor time of one table's, and more " +
      "with each million, so lists have their pages in stretches"
  },
  {
    of: "export of many wide tables",
    why:
      "bare DuckDB, in one thread, takes 4.3 s of processor time to COPY 500 tables of 65 columns and 200 rows into a " +
      "file each (8.6 ms for a file, whatever compresses it), and 0.3 s for the same rows in one table and file: 13 " +
      "times as much. It then reads the footers in 0.5 s instead of 0.06. With 4,000 rows in each it takes 20 ms a table, and " +
      "12.5 for as many rows of one large table. A fingerprint takes 5 to 7.5 ms, of which 2.4 are planning, and 2.6 of " +
      "one large table's. Two tables are written at once, but what comes after the last one, footers, hashes and flushes " +
      "of 500 files, is done in one thread"
  },
  {
    of: "the whole copy for analysts of many wide tables on PostgreSQL",
    why:
      "60 s of processor time for 500 tables of 66 columns and 200 rows: 16 make the tables, as DuckDB has no other way " +
      "to describe a column than a statement that makes its table's entry again (0.35 ms for each of 33,000); 26 read " +
      "what the server sends (51 ms for a table, of which 33 are spent on values of 65 columns and 14 on the escapes of " +
      "texts); about 10 write, for each column, its values, its statistics and a compression. Only the first copy of " +
      "all, and one after new columns, is whole"
  },
  {
    of: "PostgreSQL, load and stream",
    why:
      "COPY writes what it is given. Each of our rows is parsed, looked up and merged in one thread, in 21 µs, and the " +
      "server takes 17: 10 to insert it, as much as a COPY of the same row, and most of the rest for the ids that a " +
      "walk has seen, which prove it. Rows are merged while others are inserted, but a page's ids are noted after its " +
      "rows, and the worker waits for that. Of a stream, each body crosses the connection three times: received, read " +
      "to be applied, and written as an event"
  },
  {
    of: "receiver alone",
    why:
      "its thread is busy all the time: 19 % write answers to sockets, 17 collect garbage, 7 are the two hashes of a " +
      "body, 5 write frames and flush them, for a hundred deliveries at a time, 4 look whether a body is known; the " +
      "rest is `node:http`, as in the bare server, at 1 to 2 % a function. 66 to 74 µs for each delivery, of which the " +
      "bare server, which keeps nothing, takes 30 to 38. On PostgreSQL its COPY into the inbox and the server's part of " +
      "it share the two cores"
  },
  {
    of: "accepted, of the closest peer",
    why:
      "the peer takes 258 µs of processor time for a delivery, and we 255, beside the database's; we take more of them " +
      "at a time because it waits for a transaction each. Five times its rate would leave 46 µs for all that is done, " +
      "which is what the bare server takes that keeps nothing. Its p99 in an open loop at its own greatest rate is " +
      "lower because it has nothing left to do after its answer, where we apply on the same two cores"
  },
  {
    of: "oldest pending, under a stream",
    why:
      "64 connections deliver 6,000 to 7,000 a second for two minutes, and 4,000 to 5,000 are applied in a second; the " +
      "difference waits. The receiver could be slowed down to that, but what is on disk is safe and what the service " +
      "keeps is not, so deliveries are taken as they come. Payments don't wait behind them: the ledger hears of what " +
      "waits before and beside each batch, and posts within half a second, also while DuckDB writes a checkpoint for two"
  },
  {
    of: "peak memory of a load",
    why:
      "of 505 MB about 100 are pages of Node's and DuckDB's own files, and up to 128 what DuckDB takes for the copy for " +
      "analysts after the load; the plain script, which keeps nothing but a page and DuckDB's cache, takes 342. What is " +
      "left are the pages in flight, as many as their writer needs, their merged rows, and a heap that is collected " +
      "when it has grown by half; collected more often, a load takes a sixth longer"
  },
  {
    of: "export",
    why:
      "of 3.4 s that 2,000,000 rows took, the days of events were 1.5, the parts of IPCs 1.0, the fingerprints 0.5, and " +
      "hashes, uploads, manifest and pointer 0.3. Until then DuckDB gave back freed memory at once; now, 12 MB at a time, " +
      "which saves a third of the processor time. The COPY it is compared with writes one file for each table, with all " +
      "the memory that it wants; ours writes one for each day of events, beside a worker that goes on, within a limit. " +
      "On PostgreSQL every row crosses the connection, is read into DuckDB and written from there, and the COPY it is " +
      "compared with only sends it. In a whole worker with 10,000,000 events and 1,000,000 IPCs DuckDB's ratio was 0.81 " +
      "to 1.0 in two runs, its processor time 0.87 to 1.07 of COPY's, the peak 407 to 415 MB; an export after which " +
      "nothing has changed takes 1.8 s"
  },
  {
    of: "live after a stop",
    why:
      "1.1 s of the main thread, before anything is waited for: a third loads 4 MB of program, a tenth collects " +
      "garbage, then SQLite and DuckDB are opened, and the inbox's thread reads the ends of its files beside it. With " +
      "5,000,000 events it took 1.4 s where the machine still had in its cache what is read of 6 GB of inbox and 1.6 GB " +
      "of warehouse, and 2.2 to 2.4 s where it hadn't"
  }
]
