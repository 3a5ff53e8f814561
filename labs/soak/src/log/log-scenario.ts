import { parseCommandLine, parseWholeNumber } from '@phaseline/harness';
import type { Scenario } from '../scenario.js';
import { SERVER_FOLDER, withPostgres } from '../with-postgres.js';
import { renderLog } from './render-log.js';
import { requireDiskSpace } from './require-disk-space.js';
import { runLog } from './run-log.js';

const HELP = `npm run soak -- log [options]

Fills a log with realistic jobs through appends, on an embedded PostgreSQL that flushes to disk. After each tenth, measures
appends of one event, and reading and folding a job; and after 1, 2, 5 and 10 tenths, after a rebuild of the read models, the
first page of the list of jobs, with and without a label. Each read is counted, too, with EXPLAIN (ANALYZE, BUFFERS): its rows,
and its accesses to pages of 8 KiB, which do not depend on the machine.

At the end, verifies the hash chains of all streams, or of 1,000 jobs if all would take more than ten minutes, and compares the
numbers of events and jobs with those that were appended.

  --events N   events in the log at the end, without measured appends (default 10000000)
  --seed S     determines the jobs (default 1)
  --json       prints the figures as JSON, with all samples
  --help       prints this text

10,000,000 events need about 12 GB in TMPDIR, or in /var/tmp. Exits with code 1 and prints no figures if a check fails.
`;

/** Space per event in bytes: tables and indexes of the log, and read models while their old and new tables exist. */
const BYTES_PER_EVENT = 1_200;
/** Space in bytes for the database itself and for its write-ahead log, which has 1 GB between two checkpoints. */
const BYTES_ALWAYS = 1.5e9;

export const logScenario: Scenario = {
  summary: 'a log that grows to 10,000,000 events: appends, reads and lists after each tenth',
  run: async (args) => {
    const values = parseCommandLine(
      HELP,
      {
        events: { type: 'string', default: '10000000' },
        seed: { type: 'string', default: '1' },
        json: { type: 'boolean', default: false },
      },
      undefined,
      args,
    );
    const events = parseWholeNumber('events', values.events, 1_000);
    const seed = parseWholeNumber('seed', values.seed, 0);
    await requireDiskSpace(SERVER_FOLDER, events * BYTES_PER_EVENT + BYTES_ALWAYS);
    const report = await withPostgres(({ ownerUrl, serviceUrl }) =>
      runLog({ ownerUrl, databaseUrl: serviceUrl, events, seed, note: (line) => process.stderr.write(`${line}\n`) }),
    );
    process.stdout.write(values.json ? `${JSON.stringify(report)}\n` : renderLog(report));
    return report.passed;
  },
};
