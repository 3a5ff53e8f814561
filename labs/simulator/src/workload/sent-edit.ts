import type { JobId } from '@phaseline/contracts';
import type { FileEdit } from '@phaseline/domain';

/** The edit of a file as its sender knows it. */
export interface SentEdit {
  readonly jobId: JobId;
  readonly actor: string;
  readonly edit: FileEdit;
  /** What the sender was told; `undefined` until then. */
  outcome?: string;
}
