import { constants, openAsBlob } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { DocumentUnusable, UsageError } from '../command/command-errors.js';
import { formatBytes } from '../output/quantities.js';

/** Default limit of the server, checked here before anything is sent or started. */
export const MAX_DOCUMENT_BYTES = 256 * 1024 * 1024;

export interface DocumentPath {
  /** File name below `documents/` in the workspace. */
  readonly name: string;
  readonly path: string;
  readonly size: number;
}

/**
 * Resolves a path from the command line against the current folder, then against the folder in which `npm run` was called, because
 * npm changes to the folder of the package. Throws DocumentUnusable if the document cannot be submitted.
 */
export async function checkDocument(
  given: string,
  at: { readonly currentDirectory: string; readonly env: NodeJS.ProcessEnv },
): Promise<DocumentPath> {
  const path = await findFirstExisting([
    resolve(at.currentDirectory, given),
    ...(at.env.INIT_CWD ? [resolve(at.env.INIT_CWD, given)] : []),
  ]);
  if (path === undefined)
    throw new DocumentUnusable(
      `There is no document ${given}. Check the path; relative paths start at ${at.currentDirectory}.`,
    );
  const found = await stat(path);
  if (found.isDirectory()) throw new DocumentUnusable(`${given} is a folder. Give a file.`);
  if (!found.isFile()) throw new DocumentUnusable(`${given} is not a regular file. Give a regular file.`);
  if (found.size === 0) throw new DocumentUnusable(`${given} is empty. Give a document with content.`);
  if (found.size > MAX_DOCUMENT_BYTES) {
    throw new DocumentUnusable(
      `${given} has ${formatBytes(found.size)}; the limit is ${formatBytes(MAX_DOCUMENT_BYTES)}. Split it, or give its text only.`,
    );
  }
  await access(path, constants.R_OK).catch((cause: unknown) => {
    throw new DocumentUnusable(`${given} cannot be read by this user. Change its permissions or give a copy.`, {
      cause,
    });
  });
  return { name: basename(path), path, size: found.size };
}

async function findFirstExisting(paths: readonly string[]): Promise<string | undefined> {
  for (const path of paths) {
    try {
      await stat(path);
      return path;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EACCES')
        throw new DocumentUnusable(
          `${path} cannot be accessed by this user. Change the permissions of its folder or give a copy.`,
          { cause: error },
        );
      if (code === 'ELOOP')
        throw new DocumentUnusable(`${path} is part of a loop of symbolic links. Give the file itself.`, {
          cause: error,
        });
      if (code !== 'ENOENT' && code !== 'ENOTDIR' && code !== 'ENAMETOOLONG') throw error;
    }
  }
  return undefined;
}

/** Checks all documents of a submission, then opens them. Throws DocumentUnusable, and UsageError if two have the same name. */
export async function readDocuments(
  given: readonly string[],
  at: { readonly currentDirectory: string; readonly env: NodeJS.ProcessEnv },
): Promise<{ name: string; content: Blob }[]> {
  const documents: DocumentPath[] = [];
  for (const path of given) {
    const document = await checkDocument(path, at);
    const duplicate = documents.find(({ name }) => name === document.name);
    if (duplicate)
      throw new UsageError(
        `Two documents are named ${document.name}: ${duplicate.path} and ${document.path}. Rename one of them.`,
      );
    documents.push(document);
  }
  // A file-backed Blob: the bytes are read from disk only when they are sent.
  return Promise.all(documents.map(async ({ name, path }) => ({ name, content: await openAsBlob(path) })));
}
