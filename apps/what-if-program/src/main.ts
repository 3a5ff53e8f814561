import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { whatIfRequestSchema, type WhatIfRequest } from '@phaseline/contracts';
import { redactEvent } from '@phaseline/domain';
import { createPool, EventStore, MasterKeys, openColdStorage } from '@phaseline/event-store';
import { backtest } from './backtest.js';
import { bill } from './bill.js';
import { checkRelease } from './check-release.js';

const { DATABASE_URL, PHASELINE_MASTER_KEY, PHASELINE_MASTER_KEY_FILE } = process.env;
if (!DATABASE_URL) throw new Error('DATABASE_URL is not set');
const request = whatIfRequestSchema.parse(JSON.parse(await text(process.stdin)));
const pool = createPool(DATABASE_URL, { max: 4, applicationName: 'phaseline-what-if' });
try {
  const store = new EventStore(pool, {
    encryption: { masterKeys: await readMasterKeys(), redact: redactEvent },
    cold: openColdStorage(process.env),
  });
  for await (const message of answer(store, request)) await print(message);
} finally {
  await pool.end();
}

function answer(store: EventStore, request: WhatIfRequest): AsyncIterable<object> {
  switch (request.kind) {
    case 'backtest':
      return backtest(pool, store, request, request.execution ? stopOnSignals() : undefined);
    case 'bill':
      return bill(pool, store, request);
    case 'release-check':
      return checkRelease(pool, store, request);
  }
}

/** Returns a signal that fires when this process is to end, so that the commands that it started end first and leave no files. */
function stopOnSignals(): AbortSignal {
  const stop = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const)
    process.once(name, () => stop.abort(new Error(`ended by ${name}`)));
  return stop.signal;
}

/** Prints a message, and waits while the reader is slower, so that messages do not collect in memory. */
async function print(message: object): Promise<void> {
  if (!process.stdout.write(`${JSON.stringify(message)}\n`)) await once(process.stdout, 'drain');
}

async function readMasterKeys(): Promise<MasterKeys> {
  if (PHASELINE_MASTER_KEY) return MasterKeys.parse(PHASELINE_MASTER_KEY);
  if (PHASELINE_MASTER_KEY_FILE) return MasterKeys.parse(await readFile(PHASELINE_MASTER_KEY_FILE, 'utf8'));
  return MasterKeys.none;
}
