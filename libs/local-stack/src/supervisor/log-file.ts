import { closeSync, openSync } from 'node:fs';
import { mkdir, open, rename, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/** A log is set aside under `.1` when a stack starts and finds it longer than this. */
const rotateAtBytes = 20_000_000;

/** Opens a log for a child to write to by itself: neither a busy nor a dead parent can block the child or lose its lines. */
export async function openLogFile(path: string): Promise<{ fd: number; offset: number; close(): void }> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const size = await stat(path).then(
    (found) => found.size,
    () => 0,
  );
  if (size > rotateAtBytes) await rename(path, `${path}.1`);
  const fd = openSync(path, 'a', 0o600);
  return { fd, offset: size > rotateAtBytes ? 0 : size, close: () => closeSync(fd) };
}

/** The last lines of a log that were written at `offset` or behind it. */
export async function lastLines(path: string, offset: number, count: number): Promise<string[]> {
  const file = await open(path, 'r').catch(() => undefined);
  if (file === undefined) return [];
  try {
    const { size } = await file.stat();
    const from = Math.max(offset, size - 32_768);
    const { buffer, bytesRead } = await file.read(
      Buffer.alloc(Math.max(0, size - from)),
      0,
      Math.max(0, size - from),
      from,
    );
    return buffer
      .subarray(0, bytesRead)
      .toString('utf8')
      .split('\n')
      .filter((line) => line !== '')
      .slice(-count);
  } finally {
    await file.close();
  }
}
