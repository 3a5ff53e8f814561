import { execFile, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { attributeLines } from './attribute-lines.js';
import { drawHistory, foldHistory, toText, type Edit } from './edit-history.fixture.js';
import { LineNumbers } from './match-lines.js';

const run = promisify(execFile);
const HISTORIES = 240;
let repository: string;
beforeAll(async () => {
  repository = await mkdtemp(join(tmpdir(), 'git-blame-'));
  await run('git', ['init', '--quiet', '--bare', repository]);
});
afterAll(() => rm(repository, { recursive: true }));

/** Renders a history as commits for `git fast-import`, on a branch of its own. The message of a commit is the index of its edit. */
function renderCommits(name: string, edits: readonly Edit[]): string {
  let content = '';
  return edits
    .map((edit, index) => {
      if (edit.kind === 'write') content = toText(edit.lines);
      const file = `M 100644 inline ${edit.path}\ndata ${Buffer.byteLength(content)}\n${content}`;
      const change =
        edit.kind === 'delete' ? `D ${edit.path}` : edit.kind === 'rename' ? `D ${edit.from}\n${file}` : file;
      return `commit refs/heads/${name}\ncommitter A <a@a.a> ${index + 1} +0000\ndata <<END\n${index}\nEND\n${change}\n`;
    })
    .join('');
}

async function importHistories(histories: ReadonlyMap<string, readonly Edit[]>): Promise<void> {
  const child = spawn('git', ['-C', repository, 'fast-import', '--quiet'], { stdio: ['pipe', 'inherit', 'inherit'] });
  child.stdin.end([...histories].map(([name, edits]) => renderCommits(name, edits)).join(''));
  expect(await new Promise((resolve) => child.once('close', resolve))).toBe(0);
}

/** Returns the index of the edit to which git attributes each line. */
async function blame(name: string, path: string): Promise<readonly number[]> {
  const { stdout } = await run('git', ['-C', repository, 'blame', '--line-porcelain', name, '--', path]);
  return [...stdout.matchAll(/^summary (\d+)$/gm)].map(([, index]) => Number(index));
}

/** Returns the index of the edit to which a history attributes each line of the file at its end. */
async function attribute(edits: readonly Edit[]) {
  const { history, texts } = foldHistory(edits);
  const newest = history.files.get(edits.at(-1)!.path)!;
  const numbers = new LineNumbers();
  const read = (hash: string) => numbers.convert(texts.get(hash)!.split('\n').slice(0, -1));
  const origins = await attributeLines(newest, read(newest.hash), async ({ hash }) => read(hash));
  return {
    path: newest.path,
    lines: texts.get(newest.hash)!,
    origins: origins.map((one) => one!.version.event.position - 1),
  };
}

it('attributes every line of histories of edits, renames and deletions as git does', async () => {
  const histories = new Map(Array.from({ length: HISTORIES }, (_, seed) => [`h${seed}`, drawHistory(seed)]));
  await importHistories(histories);
  let lines = 0;
  const waiting = [...histories];
  const compareRest = async (): Promise<void> => {
    for (let next = waiting.pop(); next; next = waiting.pop()) {
      const [name, edits] = next;
      const { path, origins } = await attribute(edits);
      expect(origins, name).toEqual(await blame(name, path));
      lines += origins.length;
    }
  };
  await Promise.all([1, 2, 3, 4].map(compareRest));
  expect(lines).toBeGreaterThan(5 * HISTORIES);
});

it('attributes repeated lines to a version that has them, in the same order in every later version', async () => {
  for (let seed = 0; seed < HISTORIES; seed += 1) {
    const edits = drawHistory(seed, ['', '}', 'a', 'b']);
    const { lines, origins } = await attribute(edits);
    const texts = lines.split('\n').slice(0, -1);
    for (const [index, edit] of edits.entries()) {
      if (edit.kind !== 'write') continue;
      const kept = texts.filter((_, line) => origins[line]! <= index);
      expect(isSubsequence(kept, edit.lines), `history ${seed}, edit ${index}`).toBe(true);
    }
  }
});

function isSubsequence(part: readonly string[], whole: readonly string[]): boolean {
  let found = 0;
  for (const line of whole) if (line === part[found]) found += 1;
  return found === part.length;
}
