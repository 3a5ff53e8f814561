import { estimateTokens, playAnswer, REHEARSAL_MODEL, type PlayedAnswer } from './answer-chunks.js';
import { Refusal } from './refusal.js';
import type { RehearsalPolicy } from './rehearsal-policy.js';
import {
  findConversationProblem,
  completionRequestSchema,
  toRehearsalRequest,
  type CompletionRequest,
} from './rehearsal-request.js';

export interface PlayOptions {
  readonly policies: readonly RehearsalPolicy[];
  readonly contextTokens?: number;
}

/**
 * Parses a request body.
 *
 * @throws {Refusal} if a real server would reject it as well.
 */
export function parseRequest(text: string): CompletionRequest {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    throw new Refusal(400, 'the body is not JSON');
  }
  const parsed = completionRequestSchema.safeParse(body);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new Refusal(400, `${issue?.path.join('.') ?? 'body'}: ${issue?.message ?? 'not valid'}`);
  }
  if (parsed.data.model !== REHEARSAL_MODEL) {
    const message = `the model ${JSON.stringify(parsed.data.model)} does not exist: this is a rehearsal server, and its only model is ${REHEARSAL_MODEL}`;
    throw new Refusal(404, message, 'model_not_found');
  }
  const problem = findConversationProblem(parsed.data.messages);
  if (problem) throw new Refusal(400, problem);
  return parsed.data;
}

/** Returns the answer of the first policy that matches the conversation. */
export function playRequest(parsedRequest: CompletionRequest, stage: PlayOptions): PlayedAnswer {
  const { policies, contextTokens } = stage;
  const request = toRehearsalRequest(parsedRequest);
  const policy = policies.find((candidate) => candidate.matches(request));
  if (!policy) {
    const message =
      'no rehearsal policy matches this conversation: to use a language model, set OPENAI_BASE_URL and OPENAI_API_KEY';
    throw new Refusal(400, message, 'no_policy');
  }
  const conversation = JSON.stringify([parsedRequest.messages, parsedRequest.tools]);
  const promptTokens = estimateTokens(conversation);
  if (contextTokens !== undefined && promptTokens > contextTokens) {
    const message = `the request exceeds the available context size: ${promptTokens} of ${contextTokens} tokens`;
    throw new Refusal(400, message, 'context_length_exceeded', 'exceed_context_size_error');
  }
  const maxTokens = parsedRequest.max_completion_tokens ?? parsedRequest.max_tokens;
  return playAnswer(policy.answer(request), { conversation, promptTokens, maxTokens });
}
