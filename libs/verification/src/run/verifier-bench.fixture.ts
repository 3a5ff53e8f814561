import { mkdtempSync, rmSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { verifierDefinitionSchema, type VerifierCases, type VerifierDefinition } from '@phaseline/contracts';
import type { FileMode } from '@phaseline/domain';
import { Sandbox } from '@phaseline/sandbox';
import { contentHash, type FileEntry, type Tree } from '@phaseline/workspace';
import { onTestFinished } from 'vitest';
import type { z } from 'zod';
import { VerifierFolders } from '../setup/verifier-folders.js';
import { runProof, type ProvedResult } from '../proof/run-proof.js';
import { runVerifier, type VerifierHost, type VerifierResult } from './run-verifier.js';

/** The sandbox that this machine has. It is tested once per file. */
export const sandbox = new Sandbox({ mode: 'auto' });

/** Files by path: text, or text with a mode. */
export type Files = Readonly<Record<string, string | { readonly text: string; readonly mode: FileMode }>>;

/** Runs verifiers on files that a spec writes down. */
export class VerifierBench {
  private readonly contents = new Map<string, Uint8Array>();
  readonly root: string;
  private readonly folders: VerifierFolders;

  constructor(private readonly ownSandbox = sandbox) {
    this.root = mkdtempSync(join(tmpdir(), 'verifier-spec-'));
    onTestFinished(() => rmSync(this.root, { recursive: true, force: true, maxRetries: 3 }));
    this.folders = new VerifierFolders(this.root);
  }

  async run(
    definition: z.input<typeof verifierDefinitionSchema> | VerifierDefinition,
    begin: Files,
    claimed: Files = begin,
    signal = new AbortController().signal,
  ): Promise<VerifierResult & { readonly outputText: string }> {
    const result = await runVerifier(
      {
        definition: verifierDefinitionSchema.parse(definition),
        begin: this.store(begin),
        claimed: this.store(claimed),
      },
      this.createHost(signal),
    );
    return { ...result, outputText: Buffer.from(result.output).toString() };
  }

  /** Runs a verifier with the cases of a feature. */
  async prove(
    definition: z.input<typeof verifierDefinitionSchema>,
    cases: VerifierCases,
    begin: Files,
    claimed: Files,
  ): Promise<Pick<ProvedResult, 'outcome' | 'proof'>> {
    return runProof(
      {
        definition: verifierDefinitionSchema.parse(definition),
        begin: this.store(begin),
        claimed: this.store(claimed),
      },
      cases,
      this.createHost(new AbortController().signal),
    );
  }

  /** Names of what is in the folders of runs and caches. */
  async list(): Promise<{ readonly runs: readonly string[]; readonly dependencies: readonly string[] }> {
    return {
      runs: await readdir(join(this.root, 'runs')),
      dependencies: await readdir(join(this.root, 'dependencies')),
    };
  }

  private createHost(signal: AbortSignal): VerifierHost {
    return {
      sandbox: this.ownSandbox,
      folders: this.folders,
      blobs: { get: (hash) => Promise.resolve(this.contents.get(hash)) },
      signal,
    };
  }

  private store(files: Files): Tree {
    const entries = Object.entries(files).map(([path, file]): [string, FileEntry] => {
      const { text, mode } = typeof file === 'string' ? { text: file, mode: undefined } : file;
      const content = Buffer.from(text);
      const hash = contentHash(content);
      this.contents.set(hash, content);
      const entry = { hash, size: content.byteLength, writtenAt: '2026-01-01T00:00:00.000Z' };
      return [path, mode === undefined ? entry : { ...entry, mode }];
    });
    return Object.fromEntries(entries);
  }
}
