/** Moves a job to cold storage, for specs that kill this process: with the URL of an archivist, the folder of the archives, and the job. */
import type { JobId } from '@phaseline/contracts';
import { ColdStorage, createPool, EventStore, FolderArchives, waitForDatabase } from '@phaseline/event-store';
import { moveJob } from '@phaseline/orchestration';

const [url = '', folder = '', jobId = ''] = process.argv.slice(2);
// On a busy machine the first connection of a process can take longer than its time limit.
await waitForDatabase(url, { timeoutMs: 60_000 });
const pool = createPool(url, { max: 2 });
const archives = new FolderArchives(folder);
const store = new EventStore(pool, { cold: new ColdStorage(archives) });
const actor = { id: 'cold-storage', kind: 'process' } as const;
const outcome = await moveJob({ store, pool, archives }, jobId as JobId, { actor, now: new Date() });
process.stdout.write(outcome.kind);
await store.close();
await pool.end();
