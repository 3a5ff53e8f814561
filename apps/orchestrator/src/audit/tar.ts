import { createReadStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** Unit in which a tar archive is written, in bytes. */
const BLOCK = 512;
/** Sizes of 8 GiB and more do not fit into the 11 octal digits of a header. */
const MAX_SIZE = 0o77777777777;
/** The field for a path. */
const MAX_PATH_BYTES = 100;

/** Yields a folder as a tar archive (ustar), each path below the folder `prefix`. Files are read in pieces, so memory stays constant. */
export async function* readAsTar(folder: string, prefix: string): AsyncGenerator<Buffer, void, undefined> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  for (const file of files.sort()) {
    const { size } = await stat(file);
    yield buildHeader({ prefix, path: file.slice(folder.length + 1), size });
    for await (const piece of createReadStream(file)) yield piece as Buffer;
    yield Buffer.alloc((BLOCK - (size % BLOCK)) % BLOCK);
  }
  yield Buffer.alloc(2 * BLOCK);
}

interface Entry {
  readonly prefix: string;
  readonly path: string;
  readonly size: number;
}

function buildHeader({ prefix, path, size }: Entry): Buffer {
  if (Buffer.byteLength(path) > MAX_PATH_BYTES || Buffer.byteLength(prefix) > MAX_PATH_BYTES || size > MAX_SIZE)
    throw new Error(`${path} with ${size} bytes does not fit into a tar archive`);
  const header = Buffer.alloc(BLOCK);
  header.write(path, 0);
  header.write('0000600\0', 100);
  header.write('0000000\0', 108);
  header.write('0000000\0', 116);
  header.write(`${toOctal(size)} `, 124);
  header.write(`${toOctal(0)} `, 136);
  // While the checksum is computed, its own field is blanks.
  header.write('        ', 148);
  header.write('0', 156);
  header.write('ustar\x0000', 257);
  // The path of the folder has a field of its own; readers join both with a slash.
  header.write(prefix, 345);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return header;
}

function toOctal(value: number): string {
  return value.toString(8).padStart(11, '0');
}
