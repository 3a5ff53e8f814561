import type { JsonObject } from '@phaseline/basics';
import type { CallId } from '@phaseline/contracts';
import type { GuardOverride, GuardRef, HookPoint } from '@phaseline/domain';

/** What guards are asked about. Members that the hook point does not have are absent. */
export interface GuardEvent {
  readonly point: HookPoint;
  readonly callId?: CallId;
  /** Name of the tool. */
  readonly tool?: string;
  /** Arguments of the call. */
  readonly arguments?: JsonObject;
  /** Structured result of the call, if its tool declares one. */
  readonly result?: JsonObject;
  /** What the model reads of an ended call. */
  readonly output?: string;
  /** The todo that is claimed. */
  readonly todo?: { readonly id: number; readonly content: string };
  /** The outcome that the phase claims. */
  readonly outcome?: string;
  /** Whether a guard refused the end that the phase claimed before this one. */
  readonly isRepeated?: boolean;
  /** Text of the last answer of the model, at the end of a phase. */
  readonly lastMessage?: string;
  /** The task of the job, or the message of a person. */
  readonly prompt?: string;
  /** Why a phase begins: for the first time, or after a failed attempt. */
  readonly source?: 'startup' | 'resume';
}

/** Reads texts of files by content hash. A file that is too large, or no text, is absent. */
export type ReadTexts = (files: ReadonlyMap<string, string>) => Promise<ReadonlyMap<string, string>>;

/** What one guard decided. */
export interface GuardDecision {
  readonly guard: GuardRef;
  readonly kind: 'allow' | 'deny' | 'ask' | 'amend' | 'context';
  readonly reason?: string;
  /** What the model can do instead. */
  readonly suggest?: string;
  /** All arguments of the call as the guard wants them; set for `amend`. */
  readonly arguments?: JsonObject;
  /** Text that the model reads in addition. */
  readonly context?: string;
  /** Why the guard could not decide. Its kind is then `deny`, or `allow` if the guard says `onFailure: continue`. */
  readonly failure?: { readonly code: string; readonly message: string };
  /** Time that the guard took in milliseconds, for guards that are not pure. */
  readonly durationMs?: number;
  /** The override because of which the decision has no effect. */
  readonly override?: Omit<GuardOverride, 'guard' | 'scope'>;
}
