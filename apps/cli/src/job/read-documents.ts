import { constants, openAsBlob } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { DocumentUnusable, UsageError } from '../command/command-errors.js';
import { bytes } from '../output/quantities.js';

/** The server's bound unless it is set otherwise, checked before anything is sent or started. */
export const MAX_DOCUMENT_BYTES = 256 * 1024 * 1024;

export interface DocumentPath {
  /** As it will be called below `documents/`. */
  readonly name: string;
  readonly path: string;
  readonly size: number;
}

/**
 * Where a path of the command line leads: below the current folder, or below the one that `npm run` was called in, since npm
 * changes to the folder of the package. Throws DocumentUnusable when it cannot be submitted.
 */
export async function checkDocument(
  given: string,
  at: { readonly currentDirectory: string; readonly env: NodeJS.ProcessEnv },
): Promise<DocumentPath> {
  const path = await firstThatExists([
    resolve(at.currentDirectory, given),
    ...(at.env.INIT_CWD ? [resolve(at.env.INIT_CWD, given)] : []),
  ]);
  if (path === undefined)
    throw new DocumentUnusable(
      `There is no document ${given}. Check the path; relative ones start at ${at.currentDirectory}.`,
    );
  const found = await stat(path);
  if (found.isDirectory()) throw new DocumentUnusable(`${given} is a folder. Give one of the files in it.`);
  if (!found.isFile())
    throw new DocumentUnusable(`${given} is not a file that can be read to its end. Give an ordinary file.`);
  if (found.size === 0) throw new DocumentUnusable(`${given} is empty. Give a document with something in it.`);
  if (found.size > MAX_DOCUMENT_BYTES) {
    throw new DocumentUnusable(
      `${given} has ${bytes(found.size)}; at most ${bytes(MAX_DOCUMENT_BYTES)} are taken. Split it, or give its text only.`,
    );
  }
  await access(path, constants.R_OK).catch((cause: unknown) => {
    throw new DocumentUnusable(`${given} may not be read by this user. Change its rights or give a copy.`, { cause });
  });
  return { name: basename(path), path, size: found.size };
}

async function firstThatExists(paths: readonly string[]): Promise<string | undefined> {
  for (const path of paths) {
    try {
      await stat(path);
      return path;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EACCES')
        throw new DocumentUnusable(
          `${path} may not be reached by this user. Change the rights of its folder or give a copy.`,
          { cause: error },
        );
      if (code === 'ELOOP')
        throw new DocumentUnusable(`${path} is a symbolic link that leads in a circle. Give the file itself.`, {
          cause: error,
        });
      if (code !== 'ENOENT' && code !== 'ENOTDIR' && code !== 'ENAMETOOLONG') throw error;
    }
  }
  return undefined;
}

/** Checks all documents of a submission, then opens them. Throws DocumentUnusable, and UsageError when two have one name. */
export async function readDocuments(
  given: readonly string[],
  at: { readonly currentDirectory: string; readonly env: NodeJS.ProcessEnv },
): Promise<{ name: string; content: Blob }[]> {
  const documents: DocumentPath[] = [];
  for (const path of given) {
    const document = await checkDocument(path, at);
    const twin = documents.find(({ name }) => name === document.name);
    if (twin)
      throw new UsageError(
        `Two documents are called ${document.name}: ${twin.path} and ${document.path}. Rename one of them.`,
      );
    documents.push(document);
  }
  // The bytes stay on the disk until they are sent.
  return Promise.all(documents.map(async ({ name, path }) => ({ name, content: await openAsBlob(path) })));
}
