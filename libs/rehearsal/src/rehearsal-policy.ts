import type { JsonObject } from '@phaseline/basics';

/** A message in the wire format. */
export interface WireMessage {
  readonly role: string;
  readonly content: string | null;
  readonly tool_calls?: readonly {
    readonly id: string;
    readonly function: { readonly name: string; readonly arguments: string };
  }[];
  readonly tool_call_id?: string;
}

/** A tool in the wire format. */
interface WireTool {
  readonly type: 'function';
  readonly function: { readonly name: string; readonly description?: string; readonly parameters?: JsonObject };
}

export interface RehearsalRequest {
  readonly model: string;
  readonly messages: readonly WireMessage[];
  readonly tools: readonly WireTool[];
  readonly toolNames: readonly string[];
}

export interface RehearsalCall {
  readonly name: string;
  readonly arguments: JsonObject;
}

export interface RehearsalAnswer {
  readonly content?: string;
  readonly reasoning?: string;
  readonly calls?: readonly RehearsalCall[];
}

/**
 * Plays a model. A policy is stateless: its answer depends only on the request, so that a replayed or resumed conversation
 * continues in the same way. The client receives an error of the policy as a server error.
 */
export interface RehearsalPolicy {
  readonly name: string;
  matches(request: RehearsalRequest): boolean;
  answer(request: RehearsalRequest): RehearsalAnswer;
}

/** Fails a call permanently, because the policy cannot continue the conversation. */
export class RehearsalFailure extends Error {
  readonly code = 'rehearsal_failed';
}
