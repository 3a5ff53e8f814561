import { createTestDatabase } from '@phaseline/testing';
import { expect, it, onTestFinished } from 'vitest';
import { measureCommands } from './commands-bench.js';
import { measureWorkspace } from './workspace-bench.js';

it('measureWorkspace counts what the system does to a folder, and nothing is done twice', async () => {
  const database = await createTestDatabase();
  onTestFinished(() => database.drop());
  const rows = await measureWorkspace({ databaseUrl: database.serviceUrl, files: [400], laterCommands: 3 });
  // The agent's instructions and the summary of the workspace are files too.
  const first = { files: 400, command: 'first', runs: 1, scanned: 402, read: 0, written: 402 };
  expect(rows).toMatchObject([
    first,
    // One of them made a file, which was scanned and read after it.
    { command: 'later', runs: 3, scanned: 805, read: 1, written: 0, blobs: 0 },
    { command: 'after a change of one file', runs: 1, scanned: 806, read: 0, written: 0, blobs: 0 },
  ]);
  // Files with the same content are read once.
  expect(rows[0]!.blobs).toBeGreaterThan(350);
  expect(rows[0]!.blobs).toBeLessThanOrEqual(402);
  // Files are read in batches of 256, and three statements load the phase and record the result.
  expect(rows[0]!.statements).toBe(3 + Math.ceil(402 / 256));
  // Later, the number of statements does not depend on the number of files.
  for (const { statements } of rows.slice(1)) expect(statements).toBeLessThanOrEqual(6);
});

it('measureCommands measures a bare command beside each way to contain one', async () => {
  const rows = await measureCommands({ rounds: 2 });
  expect(rows.map(({ mechanism }) => mechanism)).toEqual(
    expect.arrayContaining(['bare', 'bubblewrap', 'unshare']) as string[],
  );
  expect(rows).toHaveLength(5);
  for (const { runs, missing } of rows) expect(runs).toBe(missing === undefined ? 2 : 0);
});
