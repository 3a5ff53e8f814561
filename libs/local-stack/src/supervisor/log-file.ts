import { closeSync, openSync } from 'node:fs';
import { mkdir, open, rename, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Size in bytes above which a log is renamed to `.1` when a service starts. */
const ROTATE_AT_BYTES = 20_000_000;

/** Opens a log that a child process writes to directly, so that a busy or dead parent can neither block the child nor lose its lines. */
export async function openLogFile(path: string): Promise<{ fd: number; offset: number; close(): void }> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const size = await stat(path).then(
    (found) => found.size,
    () => 0,
  );
  if (size > ROTATE_AT_BYTES) await rename(path, `${path}.1`);
  const fd = openSync(path, 'a', 0o600);
  return { fd, offset: size > ROTATE_AT_BYTES ? 0 : size, close: () => closeSync(fd) };
}

/** Returns the last lines of a log that were written at or after `offset`. */
export async function readLastLines(path: string, offset: number, count: number): Promise<string[]> {
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
