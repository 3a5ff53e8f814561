import { DEFAULT_WORKSPACE_SETTINGS, type WorkspaceSettings } from '@phaseline/domain';
import { StagedWorkspace, type FileChange } from '@phaseline/workspace';
import type { FolderLimits, FolderRequest } from './kept-folder.js';

const LIMITS: FolderLimits = {
  maxWorkspaceBytes: 2 ** 30,
  maxChangedFiles: 1_000,
  maxChangedBytes: 2 ** 20,
  ignore: [],
};

/** Creates the files of a log by path. */
export function createLog(files: Readonly<Record<string, string>>): StagedWorkspace {
  const log = new StagedWorkspace({}, { get: () => Promise.resolve(undefined) });
  const changes = Object.entries(files).map(([path, text]): FileChange => ({ path, content: Buffer.from(text) }));
  log.stage(changes, new Date(0));
  return log;
}

/** Builds a request for the folder of a job that has the given files in the log. */
export function buildFolderRequest(
  workspace: StagedWorkspace,
  changes: Partial<Omit<FolderRequest, 'settings' | 'limits'>> & {
    readonly settings?: Partial<WorkspaceSettings>;
    readonly limits?: Partial<FolderLimits>;
  } = {},
): FolderRequest {
  return {
    jobId: 'job',
    phase: 1,
    kind: 'tactical',
    signal: new AbortController().signal,
    workspace,
    ...changes,
    settings: { ...DEFAULT_WORKSPACE_SETTINGS, ...changes.settings },
    limits: { ...LIMITS, ...changes.limits },
  };
}
