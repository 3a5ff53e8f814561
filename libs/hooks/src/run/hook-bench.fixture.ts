import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Sandbox } from '@phaseline/sandbox';
import { onTestFinished } from 'vitest';
import type { HookOccasion, HookSession } from '../input/build-input.js';
import type { HookDecision } from '../result/to-guard-decision.js';
import { computeGuardSetVersion, type GuardSetFile } from '../set/guard-set.js';
import { importSettings } from '../settings/import-settings.js';
import type { CommandHandler } from '../settings/hook-handler.js';
import type { OwnCall } from '../tools/tool-call.js';
import { GuardSetFolders } from './guard-set-folders.js';
import { runCommandGuards, type CommandGuardDecision, type CommandGuardRequest } from './run-command-guards.js';

/** The hooks that document 003 describes, as scripts of their own with a settings file. */
export const FIXTURE = fileURLToPath(new URL('../fixtures/claude', import.meta.url));

/** The sandbox that this machine has. It is tested once per file. */
const sandbox = new Sandbox({ mode: 'auto' });

/** Reads the files of a guard set from a folder. */
export function readSet(folder: string): GuardSetFile[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => {
      const file = join(entry.parentPath, entry.name);
      const isExecutable = (statSync(file).mode & 0o111) !== 0;
      return { path: relative(folder, file), content: readFileSync(file), isExecutable };
    });
}

/** A script of a guard set, by its path. */
export function script(path: string, content: string): GuardSetFile {
  return { path, content: Buffer.from(content), isExecutable: true };
}

/** Runs the hooks of a guard set in a working directory of its own, as a phase would. */
export class HookBench {
  readonly folder: string;
  readonly tmp: string;
  readonly root: string;

  constructor(
    private readonly files: readonly GuardSetFile[],
    private readonly more: Partial<CommandGuardRequest> = {},
  ) {
    this.root = mkdtempSync(join(tmpdir(), 'phaseline-hooks-spec-'));
    onTestFinished(() => rmSync(this.root, { recursive: true, force: true, maxRetries: 3 }));
    chmodSync(this.root, 0o711);
    this.folder = join(this.root, 'workspace');
    this.tmp = join(this.root, 'tmp');
    for (const place of [this.folder, this.tmp]) mkdirSync(place);
  }

  /** Puts a file into the working directory, or into `/tmp`. */
  put(path: string, content: string): void {
    const file = path.startsWith('/tmp/') ? join(this.tmp, path.slice(5)) : join(this.folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
  }

  /** Reads a file of the working directory. */
  readonly readText = (path: string): string | undefined => {
    try {
      return readFileSync(join(this.folder, path), 'utf8');
    } catch {
      return undefined;
    }
  };

  /** Asks the command hooks of the set about an occasion. */
  async ask(occasion: HookOccasion, more: Partial<CommandGuardRequest> = {}): Promise<readonly CommandGuardDecision[]> {
    const settings = this.files.find(({ path }) => path === 'settings.json')!;
    const imported = importSettings(JSON.parse(Buffer.from(settings.content).toString()));
    const handlers = imported.handlers.filter((one): one is CommandHandler => one.kind === 'command');
    const folders = new GuardSetFolders(join(this.root, 'phaseline-guards'));
    return runCommandGuards({
      handlers,
      occasion,
      sessionId: 'job-1',
      messages: [],
      set: { name: 'policies', folder: await folders.open(computeGuardSetVersion(this.files), this.files) },
      workspace: this,
      sandbox,
      env: imported.environment,
      signal: new AbortController().signal,
      ...this.more,
      ...more,
    });
  }

  /** Asks about a call before it is admitted, and returns what was decided, without hooks that had nothing to say. */
  async askCall(call: OwnCall, agent?: HookSession['agent']): Promise<readonly HookDecision[]> {
    const { readText } = this;
    const decisions = await this.ask({ point: 'PreToolUse', call: { id: 'call-1', ...call }, readText }, { agent });
    return decisions.flatMap(({ decision }) => decision ?? []);
  }
}
