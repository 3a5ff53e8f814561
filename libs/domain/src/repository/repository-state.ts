import type { EventOf } from '../event/define-event.js';
import type { repositoryEventDefinitions } from './repository-events.js';

export type RepositoryEvent = EventOf<(typeof repositoryEventDefinitions)[number]>;
type RepositoryEventData<Type extends RepositoryEvent['type']> = Extract<RepositoryEvent, { type: Type }>['data'];

/** A requested output, and what became of it. */
export interface RepositoryOutput {
  readonly request: RepositoryEventData<'RepositoryOutputRequested'>;
  /** Version of the job's stream at which it was requested. */
  readonly version: number;
  readonly made?: RepositoryEventData<'RepositoryOutputMade'>;
  readonly failure?: { readonly code: string; readonly message: string };
}

/** The repository of a job that was submitted with one. */
export interface RepositoryState {
  readonly imported?: RepositoryEventData<'RepositoryImported'>;
  readonly failure?: { readonly code: string; readonly message: string } | undefined;
  /** The last recorded head. */
  readonly head?: string;
  /** Outputs by id, in the order of their requests. */
  readonly outputs: Readonly<Record<string, RepositoryOutput>>;
}
