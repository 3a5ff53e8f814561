import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { releaseCheckRequestSchema, type ReleaseCheckMessage } from '@phaseline/contracts';
import { redactEvent } from '@phaseline/domain';
import { createPool, EventStore, MasterKeys } from '@phaseline/event-store';
import { checkRelease } from './check-release.js';

const { DATABASE_URL, PHASELINE_MASTER_KEY, PHASELINE_MASTER_KEY_FILE } = process.env;
if (!DATABASE_URL) throw new Error('DATABASE_URL is not set');
const request = releaseCheckRequestSchema.parse(JSON.parse(await text(process.stdin)));
const pool = createPool(DATABASE_URL, { max: 4, applicationName: 'phaseline-what-if' });
try {
  const store = new EventStore(pool, { encryption: { masterKeys: await readMasterKeys(), redact: redactEvent } });
  for await (const message of checkRelease(pool, store, request)) print(message);
} finally {
  await pool.end();
}

function print(message: ReleaseCheckMessage): void {
  process.stdout.write(`${JSON.stringify(message)}\n`);
}

async function readMasterKeys(): Promise<MasterKeys> {
  if (PHASELINE_MASTER_KEY) return MasterKeys.parse(PHASELINE_MASTER_KEY);
  if (PHASELINE_MASTER_KEY_FILE) return MasterKeys.parse(await readFile(PHASELINE_MASTER_KEY_FILE, 'utf8'));
  return MasterKeys.none;
}
