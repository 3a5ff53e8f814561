import type { EventStore } from '@phaseline/event-store';
import type { EventOrigin, Histories } from '@phaseline/history';
import { submitJob, type AgentSource, type JobRequest, type Submission } from '@phaseline/orchestration';

/** Takes jobs in, from wherever they are asked for. */
export class Submissions {
  constructor(
    private readonly parts: { readonly store: EventStore; readonly histories: Histories; readonly agents: AgentSource },
  ) {}

  /** Throws UnknownDefinition, DocumentRefused, IdempotencyConflict. */
  submit(request: JobRequest, origin: EventOrigin): Promise<Submission> {
    return submitJob(this.parts, request, origin);
  }
}
