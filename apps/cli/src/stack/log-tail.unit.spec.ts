import { appendFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LogTail } from './log-tail.js';
import { parseLogWarning } from './parse-log-warning.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'phaseline-log-'));
});
afterEach(() => rm(folder, { recursive: true }));

describe('the tail of a log', () => {
  it('starts at the end of the file, and buffers partial lines', async () => {
    const path = join(folder, 'a.log');
    await writeFile(path, 'old\n');
    const lines: string[] = [];
    const tail = new LogTail(path, (line) => lines.push(line));
    await tail.start();
    await appendFile(path, 'one\ntw');
    await expect.poll(() => lines).toEqual(['one']);
    await appendFile(path, 'o\nthree\n');
    await tail.stop();
    expect(lines).toEqual(['one', 'two', 'three']);
  });

  it('waits for a missing file, and starts over if the file is replaced', async () => {
    const path = join(folder, 'b.log');
    const lines: string[] = [];
    const tail = new LogTail(path, (line) => lines.push(line));
    await tail.start();
    await writeFile(path, 'a first line that is long\n');
    await expect.poll(() => lines).toEqual(['a first line that is long']);
    await writeFile(path, 'new\n');
    await tail.stop();
    expect(lines).toEqual(['a first line that is long', 'new']);
  });
});

describe('parseLogWarning', () => {
  it.each([
    ['{"level":"info","message":"started"}', undefined],
    ['{"level":"warn","message":"slow"}', 'warn: slow'],
    ['{"level":"error","message":"failed","error":{"message":"no disk"}}', 'error: failed: no disk'],
    ['{"level":"fatal","error":{"message":"gone"}}', 'fatal: gone'],
    ['{"level":"error","message":"same","error":{"message":"same"}}', 'error: same'],
    ['{"level":50,"message":"other logger"}', undefined],
    ['Error: Cannot find module x', 'Error: Cannot find module x'],
    ['{not json', '{not json'],
    ['', undefined],
    ['{"level":"warn","message":"a\\u001b[2Jb"}', 'warn: a·[2Jb'],
  ])('turns %j into %j', (line, expected) => {
    expect(parseLogWarning(line)).toBe(expected);
  });
});
