import { mkdtempSync, rmSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { verifierDefinitionSchema, type VerifierDefinition } from '@phaseline/contracts';
import type { FileMode } from '@phaseline/domain';
import { Sandbox } from '@phaseline/sandbox';
import { contentHash, type FileEntry, type Tree } from '@phaseline/workspace';
import { onTestFinished } from 'vitest';
import type { z } from 'zod';
import { VerifierFolders } from '../setup/verifier-folders.js';
import { runVerifier, type VerifierResult } from './run-verifier.js';

/** The sandbox that this machine has. It is tested once per file. */
export const sandbox = new Sandbox({ mode: 'auto' });

/** Files by path: text, or text with a mode. */
export type Files = Readonly<Record<string, string | { readonly text: string; readonly mode: FileMode }>>;

/** Runs verifiers on files that a spec writes down. */
export class VerifierBench {
  private readonly contents = new Map<string, Uint8Array>();
  readonly root: string;
  private readonly folders: VerifierFolders;

  constructor() {
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
      {
        sandbox,
        folders: this.folders,
        blobs: { get: (hash) => Promise.resolve(this.contents.get(hash)) },
        signal,
      },
    );
    return { ...result, outputText: Buffer.from(result.output).toString() };
  }

  /** Names of what is in the folders of runs and caches. */
  async list(): Promise<{ readonly runs: readonly string[]; readonly dependencies: readonly string[] }> {
    return {
      runs: await readdir(join(this.root, 'runs')),
      dependencies: await readdir(join(this.root, 'dependencies')),
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
