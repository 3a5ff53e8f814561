import type { JsonObject } from '@phaseline/basics';
import type { EventId, JobId, LearningReason, LearningTraceSource } from '@phaseline/contracts';
import type { HookPoint } from '@phaseline/domain';

/** A call that was denied or corrected. */
interface ViolatingCall {
  readonly tool: string;
  readonly arguments: JsonObject;
}

/** A learning trace of what was wrong: a violation, or a message or an edit with which a person corrected the agent; with what the log says about it. */
export interface Violation {
  /** Id of the learning trace. */
  readonly trace: EventId;
  readonly tenant: string;
  readonly jobId: JobId;
  /** Position of the event in the log. */
  readonly position: number;
  /** ISO time of the event. */
  readonly at: string;
  readonly agent: string;
  readonly source: LearningTraceSource;
  readonly reason: LearningReason;
  readonly happened: string;
  /** Hook point at which it was refused. Absent for what was only noticed. */
  readonly point?: HookPoint;
  /** The call that was denied or corrected. For a message of a person the last call before it, for an edited file the last one that named it. */
  readonly call?: ViolatingCall;
  /** Name of the guard that denied it, or because of which a person was asked. */
  readonly guard?: string;
  /** Path of the file that a person edited. */
  readonly file?: string;
  /** Why it was wrong, in the words of the guard, the check or the person. */
  readonly why?: string;
  /** Tokens and price of the answer that made the call or the claim. */
  readonly tokens: number;
  readonly costMicroUsd: number;
}
