import type { JobId } from '@phaseline/contracts';
import type { PhaseKind, WorkspaceSettings } from '@phaseline/domain';
import type { FileChange, WorkspaceReader } from '@phaseline/workspace';

/** The folders of one phase on this machine. Commands of the phase share them; no other phase does. */
export interface PhaseFolder {
  /** Contains the files of the job, and the caches that commands left. */
  readonly folder: string;
  /** Empty home folder. */
  readonly home: string;
  /** Private `/tmp` of the commands of the phase. It counts in the disk limit, and is never evidence. */
  readonly tmp: string;
}

/** What a command, or a program outside the system, changed in a folder. */
export interface TakenIn {
  readonly files: readonly FileChange[];
  /** For the model: the changes that are not kept, each with its reason. */
  readonly rejected: readonly string[];
}

/** What was done to bring a folder to the state of the log and to compare it, as counts that no load of the machine changes. */
export interface FolderWork {
  /** Files and links whose stamp was read. */
  scanned: number;
  /** Files that were read and hashed because their stamp had changed, and their bytes. */
  read: number;
  readBytes: number;
  /** Files that were written to disk. */
  written: number;
}

export interface OpenFolder extends PhaseFolder {
  /** Counts since the folder was opened for this command. */
  readonly work: Readonly<FolderWork>;
  /** Files that no command changed, taken in as such; empty where the agent's settings refuse them. */
  readonly outside: readonly FileChange[];
  /** For the model: files that were changed outside and restored. */
  readonly restored: readonly string[];
  /** Compares the folder with the log after a command, and returns the differences. */
  takeIn(): Promise<TakenIn>;
}

export interface FolderRequest {
  readonly jobId: JobId;
  readonly phase: number;
  readonly kind: PhaseKind;
  /** The files in the log. */
  readonly workspace: WorkspaceReader;
  readonly settings: WorkspaceSettings;
  readonly limits: FolderLimits;
  /** User that owns the files, where commands run as another user than this process. */
  readonly owner?: number | undefined;
  readonly signal: AbortSignal;
}

export interface FolderLimits {
  readonly maxWorkspaceBytes: number;
  readonly maxChangedFiles: number;
  readonly maxChangedBytes: number;
  /** Names of folders, anywhere in the workspace, whose changes are not kept. */
  readonly ignore: readonly string[];
}

/** The working folders of a tool-runner. */
export interface KeptFolders {
  /** Calls `work` with the folder of a phase, which then holds the files in the log. Calls of one phase wait for each other. */
  use<Result>(request: FolderRequest, work: (folder: OpenFolder) => Promise<Result>): Promise<Result>;
}
