import { ToolError } from '@phaseline/contracts';
import type { JobRepository } from '@phaseline/repository';
import { getContentHash, type Tree } from '@phaseline/workspace';
import { describe, expect, it } from 'vitest';
import { createVerifierReader } from './job-verifiers.js';

const contents = new Map<string, Uint8Array>();

/** Files with which a phase starts, by path. */
function treeOf(files: Readonly<Record<string, string>>): Tree {
  return Object.fromEntries(
    Object.entries(files).map(([path, text]) => {
      const content = Buffer.from(text);
      const hash = getContentHash(content);
      contents.set(hash, content);
      return [path, { hash, size: content.length, writtenAt: '2026-01-01T00:00:00.000Z' }];
    }),
  );
}

const phases: Readonly<Record<number, Tree>> = {
  1: treeOf({ 'repository/unit.yaml': 'argv: [npm, test]\n' }),
  3: treeOf({ 'repository/unit.yaml': 'argv: ["true"]\n', 'repository/src/a.js': '1' }),
};

/** A job whose verifier is a file of its repository, which the agent changed before phase 3. */
const repository = {
  loadJob: async () => ({
    definition: { agent: { name: 'coder' }, workflow: { states: {} } },
    submitted: { verifiers: { unit: { fromRepository: 'unit.yaml' } } },
  }),
  loadPhase: async (_jobId: string, phase: number) =>
    phases[phase] && { start: { workspace: { tree: phases[phase] } } },
} as unknown as JobRepository;

const readVerifier = createVerifierReader(repository, { get: async (hash) => contents.get(hash) });

describe('a verifier of a job', () => {
  it('is compared with the files of the first phase', async () => {
    expect(await readVerifier('job', 'unit')).toMatchObject({
      begin: phases[1],
      definition: { argv: ['npm', 'test'] },
    });
  });

  it('is compared with the files of the phase that is named, and stays as it was submitted', async () => {
    const { begin, definition } = await readVerifier('job', 'unit', 3);
    expect(begin).toEqual(phases[3]);
    expect(definition.argv).toEqual(['npm', 'test']);
  });

  it('is refused with a phase that the job does not have', async () => {
    await expect(readVerifier('job', 'unit', 2)).rejects.toThrow(
      new ToolError('verifier_unusable', 'The job job has no phase 2.'),
    );
  });
});
