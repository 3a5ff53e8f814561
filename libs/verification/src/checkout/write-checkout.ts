import { mkdir, open, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { leavesWorkspace, splitIntoBatches, type BlobReader, type FileEntry, type Tree } from '@phaseline/workspace';

type NamedFile = FileEntry & { readonly path: string };

/** Thrown when the content of a file is not stored. */
export class ContentMissing extends Error {}

/**
 * Writes the files of a tree into a new folder, links apart: until `writeLinks`, no path of it leads elsewhere. Throws
 * ContentMissing.
 */
export async function writeFiles(folder: string, tree: Tree, blobs: BlobReader): Promise<void> {
  const files = list(tree).filter(({ mode }) => mode !== 'link');
  for (const batch of splitIntoBatches(files)) {
    if ('large' in batch) {
      await writeLargeFile(folder, batch.large, blobs);
      continue;
    }
    const hashes = [...new Set(batch.files.map(({ hash }) => hash))];
    const contents = (await blobs.getAll?.(hashes)) ?? (await readOneByOne(hashes, blobs));
    for (const file of batch.files) {
      const content = contents.get(file.hash);
      if (!content) throw new ContentMissing(`the content of ${file.path} is not stored`);
      await writeNew(folder, file, [content]);
    }
  }
}

/** Makes the links of a tree. One that would lead out of the folder, or whose place is taken, is left out. Throws ContentMissing. */
export async function writeLinks(folder: string, tree: Tree, blobs: BlobReader): Promise<void> {
  for (const { path, hash, mode } of list(tree)) {
    if (mode !== 'link') continue;
    const content = await blobs.get(hash);
    if (!content) throw new ContentMissing(`the target of ${path} is not stored`);
    const target = Buffer.from(content).toString();
    if (leavesWorkspace(path, target)) continue;
    const place = join(folder, path);
    await mkdir(dirname(place), { recursive: true }).catch(ignoreExisting);
    await symlink(target, place).catch(ignoreExisting);
  }
}

function list(tree: Tree): readonly NamedFile[] {
  return Object.entries(tree).map(([path, entry]) => ({ ...entry, path }));
}

async function readOneByOne(hashes: readonly string[], blobs: BlobReader): Promise<ReadonlyMap<string, Uint8Array>> {
  const contents = new Map<string, Uint8Array>();
  for (const hash of hashes) {
    const content = await blobs.get(hash);
    if (content) contents.set(hash, content);
  }
  return contents;
}

async function writeLargeFile(folder: string, file: NamedFile, blobs: BlobReader): Promise<void> {
  if (blobs.stream) return writeNew(folder, file, blobs.stream(file.hash));
  const content = await blobs.get(file.hash);
  if (!content) throw new ContentMissing(`the content of ${file.path} is not stored`);
  return writeNew(folder, file, [content]);
}

async function writeNew(
  folder: string,
  { path, size, mode }: NamedFile,
  pieces: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
): Promise<void> {
  const place = join(folder, path);
  await mkdir(dirname(place), { recursive: true });
  const file = await open(place, 'wx', mode === 'executable' ? 0o755 : 0o644);
  let written = 0;
  try {
    for await (const piece of pieces) {
      await file.writeFile(piece);
      written += piece.byteLength;
    }
  } finally {
    await file.close();
  }
  if (written !== size) throw new ContentMissing(`the content of ${path} is not stored`);
}

function ignoreExisting(error: unknown): void {
  const { code } = error as NodeJS.ErrnoException;
  if (code !== 'EEXIST' && code !== 'ENOTDIR') throw error;
}
