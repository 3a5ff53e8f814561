import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listConversation } from '@phaseline/context';
import { loadGuardSet, type LoadedGuardSet } from '@phaseline/definitions';
import { guardSetFolder, type Guard } from '@phaseline/domain';
import type { Engine } from '@phaseline/harness';
import { importFiles, readGuardFiles } from '@phaseline/hooks';
import { GuardSetFolders } from '@phaseline/hooks/runner';
import { createGuardsPack, DiskFolders, RecordedGuards } from '@phaseline/remote-packs';
import { Sandbox } from '@phaseline/sandbox';
import type { ToolPack } from '@phaseline/tools';

/** A hook of Claude Code: its event, the tools that it matches, and its shell script. */
export interface Hook {
  readonly event: Guard['points'][number];
  readonly matcher: string;
  readonly script: string;
  readonly timeoutSeconds: number;
}

/** A guard set of hooks, and what asks it in the sandbox: live, and about recorded calls. */
export class CommandBench {
  private readonly sandbox = new Sandbox({ mode: 'auto' });
  private readonly recorded: RecordedGuards;
  private plays = 0;

  private constructor(
    private readonly root: string,
    private readonly set: LoadedGuardSet,
  ) {
    const { signal } = new AbortController();
    this.recorded = new RecordedGuards(set, {
      ...{ sandbox: this.sandbox, listMessages: listConversation, signal },
      root: join(root, 'recorded'),
    });
  }

  /** Imports the hooks as a guard set, in shadow. The caller closes it. */
  static async open(hooks: readonly Hook[]): Promise<CommandBench> {
    const root = await mkdtemp(join(tmpdir(), 'phaseline-learning-'));
    const folder = join(root, 'lab');
    const files = join(folder, 'files');
    await mkdir(files, { recursive: true });
    const settings: Record<string, object[]> = {};
    for (const [index, { event, matcher, script, timeoutSeconds }] of hooks.entries()) {
      await writeFile(join(files, `${index}.sh`), script);
      const command = { type: 'command', command: `sh .claude/${index}.sh`, timeout: timeoutSeconds };
      (settings[event] ??= []).push({ matcher, hooks: [command] });
    }
    await writeFile(join(files, 'settings.json'), JSON.stringify({ hooks: settings }));
    const { version } = importFiles(await readGuardFiles(files));
    const description = { name: 'lab', owner: 'lab', stage: 'shadow', version };
    await writeFile(join(folder, 'guard-set.yaml'), JSON.stringify(description));
    return new CommandBench(root, await loadGuardSet(folder));
  }

  get guards(): readonly Guard[] {
    return this.set.guards;
  }

  /** The files of the set, as every job of its agent has them. */
  get files(): readonly { readonly path: string; readonly content: Uint8Array }[] {
    const { name, files } = this.set;
    return files.map(({ path, content }) => ({ path: `${guardSetFolder(name)}/${path}`, content }));
  }

  /** Asks the set about recorded calls. */
  get ask(): RecordedGuards['ask'] {
    return this.recorded.ask;
  }

  /** Creates the tool that asks the set in a live job. */
  createPack(getEngine: () => Engine): ToolPack {
    const folder = join(this.root, `play-${(this.plays += 1)}`);
    return createGuardsPack({
      sandbox: this.sandbox,
      workFolders: new DiskFolders(join(folder, 'work')),
      setFolders: new GuardSetFolders(join(folder, 'sets')),
      readPhase: (jobId, phase) => getEngine().repository.loadPhase(jobId, phase),
      listMessages: listConversation,
    });
  }

  async close(): Promise<void> {
    await this.recorded.close();
    await rm(this.root, { recursive: true, force: true });
  }
}
