import type { RecordedEvent } from '@phaseline/event-store';
import type { AskCommands } from '@phaseline/execution';
import type { ToolRegistry } from '@phaseline/tools';
import type { BlobReader } from '@phaseline/workspace';
import type { DecodedEvent } from '../log/decoded-event.js';
import type { RecordedJob } from '../log/recorded-job.js';

/** What the installed version decides with. */
export interface DecisionParts {
  /** The tools of the installed version. Only inline tools are run: they are pure. */
  readonly tools: ToolRegistry;
  /** Asks command guards about a recorded state, whose files `blobs` has. Without it, command guards are not asked. */
  readonly askCommands?: (...asked: [...Parameters<AskCommands>, blobs: BlobReader]) => ReturnType<AskCommands>;
}

/** A commit with what is needed to decide it again: the job as it was before, the events, and when and by whom they were appended. */
export interface CommitToRedecide {
  readonly before: RecordedJob;
  readonly events: readonly DecodedEvent[];
  readonly first: RecordedEvent;
  readonly now: Date;
}

/** An event that was decided, for a stream. */
export type DecidedEvent = Pick<DecodedEvent, 'streamId' | 'event'>;

/** What a commit consists of when it is decided again. */
export type Redecision =
  /** The commit only records inputs: an answer, the end of a tool, a request of a person. Nothing was decided. */
  | { readonly kind: 'input' }
  /** What was decided, after `inputs` events that are taken as they were recorded. */
  | { readonly kind: 'decided'; readonly inputs: number; readonly decided: readonly DecidedEvent[] }
  /** What is needed to decide it is not recorded. */
  | { readonly kind: 'unknown'; readonly reason: string };
