import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readReceipts } from './stored-receipts.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'receipts-'));
});
afterAll(() => rm(folder, { recursive: true }));

it.each([
  ['null', 'its format is not phaseline-receipt-1'],
  ['{"name":"phaseline"}', 'its format is not phaseline-receipt-1'],
  ['# Notes\n\nNo receipt.\n', 'does not contain receipts'],
  ['', 'does not contain receipts'],
])('a file that holds %j instead of receipts is refused by name', async (text, reason) => {
  const path = join(folder, 'not-a-receipt.json');
  await writeFile(path, text);
  const reading = readReceipts(path);
  await expect(reading).rejects.toMatchObject({ code: 'receipt_unusable', message: expect.stringContaining(reason) });
  await expect(reading).rejects.toThrow(path);
});
