import type { JsonObject } from '@phaseline/basics';
import type { EventId, JobId, LearningReason, LearningTraceSource } from '@phaseline/contracts';
import type { HookPoint } from '@phaseline/domain';

/** A call that was denied or corrected. */
interface ViolatingCall {
  readonly tool: string;
  readonly arguments: JsonObject;
}

/** A learning trace of the type violation, with what the log says about it. */
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
  readonly call?: ViolatingCall;
  /** Name of the guard that denied it. */
  readonly guard?: string;
  /** Tokens and price of the answer that made the call or the claim. */
  readonly tokens: number;
  readonly costMicroUsd: number;
}
