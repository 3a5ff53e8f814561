import type { JsonObject } from '@phaseline/domain';

/** A message as it stands on the wire. */
export interface WireMessage {
  readonly role: string;
  readonly content: string | null;
  readonly tool_calls?: readonly {
    readonly id: string;
    readonly function: { readonly name: string; readonly arguments: string };
  }[];
  readonly tool_call_id?: string;
}

/** A tool as it stands on the wire. */
export interface WireTool {
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
 * Plays a model. Policies keep nothing between calls: an answer follows from the request alone, so that a replayed or
 * resumed conversation goes the same way. What a policy throws reaches the client as an error of the server.
 */
export interface RehearsalPolicy {
  readonly name: string;
  matches(request: RehearsalRequest): boolean;
  answer(request: RehearsalRequest): RehearsalAnswer;
}

/** Ends a call with an error that is not worth a retry: the conversation is not one that the policy can go on with. */
export class RehearsalFailure extends Error {
  readonly code = 'rehearsal_failed';
}
