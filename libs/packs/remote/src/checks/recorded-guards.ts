import { join } from 'node:path';
import { guardSetFolder, type AdmittedCall, type PhaseState } from '@phaseline/domain';
import type { GuardSetFile } from '@phaseline/hooks';
import { GuardSetFolders } from '@phaseline/hooks/runner';
import { guardsSpec } from '@phaseline/pack-specs';
import type { ToolOutcome } from '@phaseline/tools';
import { getJobBlobs, removeDiskFile, StagedWorkspace, type BlobReader, type FileChange } from '@phaseline/workspace';
import { DiskFolders } from '../commands/folder/disk-folders.js';
import { createRunGuard, type GuardsHost } from './run-guard.js';

/** A guard set whose commands are asked about recorded phases. */
export interface RecordedGuardSet {
  readonly name: string;
  readonly files: readonly GuardSetFile[];
}

export interface RecordedGuardsHost extends Pick<GuardsHost, 'sandbox' | 'listMessages'> {
  /** A folder that only this object uses, and removes. */
  readonly root: string;
  readonly signal: AbortSignal;
}

/**
 * Asks the command guards of a set about recorded phases, as `run_guard` asks them live: in the sandbox, in a working folder with the files that
 * the phase had. What commands of the phase left beside its files, such as caches and `/tmp`, is not recorded and not there. No secrets are
 * given to them.
 */
export class RecordedGuards {
  private readonly workFolders: DiskFolders;
  private readonly setFolders: GuardSetFolders;

  constructor(
    private readonly set: RecordedGuardSet,
    private readonly host: RecordedGuardsHost,
  ) {
    this.workFolders = new DiskFolders(join(host.root, 'work'));
    this.setFolders = new GuardSetFolders(join(host.root, 'sets'));
  }

  /** Runs a call of `run_guard` about a state of a phase. Throws ToolError, or the reason of the signal. */
  readonly ask = (state: PhaseState, call: AdmittedCall, blobs: BlobReader): Promise<ToolOutcome> => {
    const { sandbox, listMessages, signal } = this.host;
    const { workFolders, setFolders } = this;
    const run = createRunGuard({ sandbox, workFolders, setFolders, listMessages, readPhase: async () => state });
    const { identity, terms } = state.start;
    const context = {
      jobId: identity.jobId,
      phase: identity.phase,
      kind: identity.kind,
      callId: call.callId,
      attempt: 1,
      signal,
      workspace: this.openWorkspace(state, blobs),
      settings: terms.settings ?? {},
      workspaceSettings: terms.workspace,
    };
    return run(context, guardsSpec.byName.run_guard.input.parse(call.arguments));
  };

  /** Removes the working folders of all jobs. */
  async removeFolders(): Promise<void> {
    await this.workFolders.sweep({ readNeed: async () => 'ended', keepMs: 0, now: Date.now() });
  }

  /** Removes the folder of this object. */
  close(): Promise<void> {
    return removeDiskFile(this.host.root);
  }

  /** The recorded files, with those of the set in the place of those that the job had. */
  private openWorkspace({ tree, start }: PhaseState, blobs: BlobReader): StagedWorkspace {
    const workspace = new StagedWorkspace(tree, getJobBlobs(blobs, start.identity.jobId));
    const folder = `${guardSetFolder(this.set.name)}/`;
    const removed = Object.keys(tree).filter((path) => path.startsWith(folder));
    const changes: FileChange[] = [
      ...removed.map((path) => ({ path, deleted: true as const })),
      ...this.set.files.map(({ path, content, isExecutable }) => ({
        path: `${folder}${path}`,
        content,
        ...(isExecutable ? { mode: 'executable' as const } : {}),
      })),
    ];
    workspace.stage(changes, new Date(0));
    return workspace;
  }
}
