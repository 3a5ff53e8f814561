import { writeFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { createPool, EventStore } from '@phaseline/event-store';
import { renderHistory, readHistory } from './history.js';

/*
 * DATABASE_URL=… node libs/harness/dist/histories/record.js JOB FILE
 *
 * Writes a job of a log to a file that CI replays from then on (see recorded/README.md).
 */
const [, , jobId, file] = process.argv;
const url = process.env['DATABASE_URL'];
if (!jobId || !file || !url) throw new Error('usage: DATABASE_URL=… record.js JOB FILE.jsonl.gz');
const pool = createPool(url, { max: 1, applicationName: 'record-history' });
try {
  const history = await readHistory(new EventStore(pool), jobId);
  if (history.events.length === 0) throw new Error(`there is no job ${jobId}`);
  await writeFile(file, gzipSync(renderHistory(history), { level: 9 }));
  process.stdout.write(`${history.events.length} events and ${history.blobs.size} blobs in ${file}\n`);
} finally {
  await pool.end();
}
