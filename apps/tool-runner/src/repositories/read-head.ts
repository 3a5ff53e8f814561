import { inflateSync } from 'node:zlib';
import type { SecretMask } from '@phaseline/basics/secrets';
import { REPOSITORY_FOLDER } from '@phaseline/contracts';
import type { BlobReader, Tree } from '@phaseline/workspace';

const GIT_FOLDER = `${REPOSITORY_FOLDER}/.git/`;

/** The file that names the head of the repository in a workspace. */
export const HEAD_FILE = `${GIT_FOLDER}HEAD`;

/** Maximum size in bytes of a ref, of the list of packed refs, and of a commit. A larger one is treated as absent. */
const MAX_REF_BYTES = 4_096;
const MAX_PACKED_REFS_BYTES = 4 * 1024 * 1024;
const MAX_COMMIT_BYTES = 64 * 1024;

/** Maximum number of symbolic refs that are followed, as in git. */
const MAX_SYMBOLIC_REFS = 5;

/** Maximum number of commits that are read, and length of a subject in characters. */
const MAX_COMMITS = 100;
const MAX_SUBJECT_CHARACTERS = 200;

/** A commit with the first line of its message. */
interface MadeCommit {
  readonly commit: string;
  readonly subject: string;
}

/**
 * Reads the hash of the commit that is the head of the repository in a workspace, without running git. Returns `undefined` if the
 * repository has none, for example because the agent removed it.
 */
export async function readHead(tree: Tree, blobs: BlobReader): Promise<string | undefined> {
  let name = 'HEAD';
  for (let links = 0; links <= MAX_SYMBOLIC_REFS; links += 1) {
    const text = (await readSmallFile(tree, blobs, name, MAX_REF_BYTES))?.toString('latin1').trim();
    if (text === undefined) return readPackedRef(tree, blobs, name);
    const target = /^ref: (refs\/[^\s]+)$/.exec(text)?.[1];
    if (target === undefined) return isObjectName(text) ? text : undefined;
    name = target;
  }
  return undefined;
}

/**
 * Lists the commits between two heads, oldest first, at most 100: the newest ones. Follows first parents, and only through commits that
 * are not in a pack, as those of an agent are. Everything that is not a commit ends the list. Commits are compressed in the workspace, so
 * the values of secrets are masked here, before a subject is shortened.
 */
export async function listMadeCommits(
  tree: Tree,
  blobs: BlobReader,
  mask: SecretMask,
  { head, previous }: { readonly head: string; readonly previous: string },
): Promise<readonly MadeCommit[]> {
  const made: MadeCommit[] = [];
  let next: string | undefined = head;
  while (next !== undefined && next !== previous && made.length < MAX_COMMITS) {
    const text = await readCommit(tree, blobs, next);
    if (text === undefined) break;
    made.unshift({ commit: next, subject: readSubject(mask.maskText(text)) });
    next = /^parent ([0-9a-f]{40,64})$/m.exec(text.slice(0, text.indexOf('\n\n')))?.[1];
  }
  return made;
}

async function readSmallFile(
  tree: Tree,
  blobs: BlobReader,
  name: string,
  maxBytes: number,
): Promise<Buffer | undefined> {
  const path = `${GIT_FOLDER}${name}`;
  const entry = Object.hasOwn(tree, path) ? tree[path] : undefined;
  if (!entry || entry.mode === 'link' || entry.size > maxBytes) return undefined;
  const content = await blobs.get(entry.hash);
  return content && Buffer.from(content);
}

async function readPackedRef(tree: Tree, blobs: BlobReader, name: string): Promise<string | undefined> {
  const packed = await readSmallFile(tree, blobs, 'packed-refs', MAX_PACKED_REFS_BYTES);
  for (const line of packed?.toString('latin1').split('\n') ?? []) {
    const [hash = '', ref] = line.split(' ');
    if (ref === name && isObjectName(hash)) return hash;
  }
  return undefined;
}

/** Returns the text of a commit: its headers, an empty line, and its message. */
async function readCommit(tree: Tree, blobs: BlobReader, hash: string): Promise<string | undefined> {
  const name = `objects/${hash.slice(0, 2)}/${hash.slice(2)}`;
  const compressed = await readSmallFile(tree, blobs, name, MAX_COMMIT_BYTES);
  if (!compressed) return undefined;
  try {
    const object = inflateSync(compressed, { maxOutputLength: MAX_COMMIT_BYTES });
    const end = object.indexOf(0);
    return object.subarray(0, end).toString('latin1').startsWith('commit ')
      ? object.subarray(end + 1).toString('utf8')
      : undefined;
  } catch {
    // Not compressed, or too large: the agent can write any file.
    return undefined;
  }
}

function readSubject(text: string): string {
  const message = text.slice(text.indexOf('\n\n') + 2).trimStart();
  return message.split('\n', 1)[0]!.slice(0, MAX_SUBJECT_CHARACTERS).toWellFormed();
}

function isObjectName(text: string): boolean {
  return /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(text);
}
