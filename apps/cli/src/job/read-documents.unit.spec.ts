import { chmod, mkdir, mkdtemp, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DocumentUnusable, UsageError } from '../command/command-errors.js';
import { checkDocument, MAX_DOCUMENT_BYTES, readDocuments } from './read-documents.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'phaseline-documents-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const at = (env: NodeJS.ProcessEnv = {}) => ({ currentDirectory: folder, env });

async function refusal(given: string): Promise<string> {
  const error: unknown = await checkDocument(given, at()).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(DocumentUnusable);
  return (error as Error).message;
}

describe('a document', () => {
  it('is refused if it does not exist, with the folder that was searched', async () => {
    expect(await refusal('gone.md')).toBe(
      `There is no document gone.md. Check the path; relative paths start at ${folder}.`,
    );
  });

  it('is refused if it is a folder', async () => {
    await mkdir(join(folder, 'docs'));
    expect(await refusal('docs')).toContain('is a folder');
  });

  it('is refused if it is empty', async () => {
    await writeFile(join(folder, 'empty.md'), '');
    expect(await refusal('empty.md')).toContain('is empty');
  });

  it('is refused without being read if it is too large', async () => {
    await writeFile(join(folder, 'large.pdf'), '');
    await truncate(join(folder, 'large.pdf'), 300 * 1024 * 1024);
    expect(await refusal('large.pdf')).toBe(
      'large.pdf has 300 MiB; the limit is 256 MiB. Split it, or give its text only.',
    );
    await truncate(join(folder, 'large.pdf'), MAX_DOCUMENT_BYTES);
    expect((await checkDocument('large.pdf', at())).size).toBe(MAX_DOCUMENT_BYTES);
  });

  it('is refused if it is a device, which could be read forever', async () => {
    expect(await refusal('/dev/zero')).toContain('is not a regular file');
  });

  it('is refused if it is a loop of symbolic links', async () => {
    await symlink(join(folder, 'a'), join(folder, 'b'));
    await symlink(join(folder, 'b'), join(folder, 'a'));
    expect(await refusal('a')).toContain('loop of symbolic links');
  });

  it.skipIf(process.getuid?.() === 0)('is refused if the user may not read it', async () => {
    await writeFile(join(folder, 'secret.md'), 'x');
    await chmod(join(folder, 'secret.md'), 0o000);
    expect(await refusal('secret.md')).toContain('cannot be read');
  });

  it('is also searched in the folder in which npm was called', async () => {
    await mkdir(join(folder, 'docs'));
    await writeFile(join(folder, 'docs', 'spec.md'), 'x');
    expect((await checkDocument('spec.md', at({ INIT_CWD: join(folder, 'docs') }))).path).toBe(
      join(folder, 'docs', 'spec.md'),
    );
  });

  it('in the current folder wins over one in the folder in which npm was called', async () => {
    await mkdir(join(folder, 'docs'));
    await writeFile(join(folder, 'docs', 'spec.md'), 'other');
    await writeFile(join(folder, 'spec.md'), 'this');
    expect((await checkDocument('spec.md', at({ INIT_CWD: join(folder, 'docs') }))).path).toBe(join(folder, 'spec.md'));
  });
});

describe('several documents', () => {
  it('with the same name are refused, because one would replace the other', async () => {
    await mkdir(join(folder, 'a'));
    await writeFile(join(folder, 'spec.md'), 'one');
    await writeFile(join(folder, 'a', 'spec.md'), 'two');
    await expect(readDocuments(['spec.md', 'a/spec.md'], at())).rejects.toThrow(UsageError);
  });

  it('are all checked before the first is read', async () => {
    await writeFile(join(folder, 'spec.md'), 'one');
    await expect(readDocuments(['spec.md', 'gone.md'], at())).rejects.toThrow(DocumentUnusable);
  });

  it('are read byte for byte', async () => {
    await writeFile(join(folder, 'spec.bin'), Buffer.from([0, 255, 128]));
    const [document] = await readDocuments(['spec.bin'], at());
    expect(document!.name).toBe('spec.bin');
    expect(new Uint8Array(await document!.content.arrayBuffer())).toEqual(new Uint8Array([0, 255, 128]));
  });
});
