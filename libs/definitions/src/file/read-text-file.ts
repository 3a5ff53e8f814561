import { isUtf8 } from 'node:buffer';
import { constants } from 'node:fs';
import { open, realpath } from 'node:fs/promises';
import { sep } from 'node:path';
import { InvalidDefinitions } from '../definition-errors.js';

export interface ReadLimits {
  readonly maxBytes: number;
  /** Directory that must contain the file, also after resolving symbolic links. */
  readonly within?: string | undefined;
}

/** Reads a text file. Throws InvalidDefinitions, also for read errors. */
export async function readTextFile(file: string, { maxBytes, within }: ReadLimits): Promise<string> {
  const buildError = (message: string, line?: number, cause?: unknown): InvalidDefinitions =>
    new InvalidDefinitions([{ file, ...(line === undefined ? {} : { line }), message }], { cause });
  let bytes: Buffer;
  try {
    const target = await realpath(file);
    if (within !== undefined && !isInside(target, await realpath(within)))
      throw buildError(`expected a file inside ${within}, found a link that leads out of it`);
    // Non-blocking, because opening a named pipe would otherwise wait for a writer forever.
    const handle = await open(target, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const stat = await handle.stat();
      if (!stat.isFile()) throw buildError('expected a regular file');
      if (stat.size > maxBytes) throw buildError(`expected at most ${maxBytes} bytes, found ${stat.size}`);
      bytes = await handle.readFile();
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (error instanceof InvalidDefinitions) throw error;
    throw buildError(describeReadError(error), undefined, error);
  }
  if (!isUtf8(bytes)) throw buildError('expected text in UTF-8', lineOfBadByte(bytes));
  return bytes.toString('utf8');
}

/** Whether a real path is the directory itself or below it. */
export function isInside(path: string, directory: string): boolean {
  return path === directory || path.startsWith(directory.endsWith(sep) ? directory : directory + sep);
}

function describeReadError(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT') return 'expected a file here, found none';
  if (code === 'EACCES' || code === 'EPERM')
    return 'expected a file that this process may read; check its owner and mode';
  return `cannot be read (${code ?? String(error)})`;
}

function lineOfBadByte(bytes: Buffer): number {
  for (let line = 1, start = 0; ; line += 1) {
    const end = bytes.indexOf(0x0a, start);
    if (end < 0 || !isUtf8(bytes.subarray(start, end))) return line;
    start = end + 1;
  }
}
