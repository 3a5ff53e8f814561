import { playAnswer, REHEARSAL_MODEL, type PlayedAnswer } from './answer-chunks.js';
import { Refusal } from './refusal.js';
import type { RehearsalPolicy } from './rehearsal-policy.js';
import { complaintAbout, completionRequest, toRehearsalRequest, type CompletionRequest } from './rehearsal-request.js';

export interface Stage {
  readonly policies: readonly RehearsalPolicy[];
  readonly contextTokens?: number;
  readonly countTokens?: (text: string) => number;
}

/** @throws {Refusal} when a real server would not take the body either. */
export function parseRequest(text: string): CompletionRequest {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    throw new Refusal(400, 'the body is not JSON');
  }
  const parsed = completionRequest.safeParse(body);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new Refusal(400, `${issue?.path.join('.') ?? 'body'}: ${issue?.message ?? 'not valid'}`);
  }
  if (parsed.data.model !== REHEARSAL_MODEL) {
    const message = `the model ${JSON.stringify(parsed.data.model)} does not exist: this server rehearses, and has only ${REHEARSAL_MODEL}`;
    throw new Refusal(404, message, 'model_not_found');
  }
  const complaint = complaintAbout(parsed.data.messages);
  if (complaint) throw new Refusal(400, complaint);
  return parsed.data;
}

/** The answer of the first policy that knows the conversation. */
export function playRequest(asked: CompletionRequest, stage: Stage): PlayedAnswer {
  const { policies, contextTokens, countTokens = approximateTokens } = stage;
  const request = toRehearsalRequest(asked);
  const policy = policies.find((candidate) => candidate.matches(request));
  if (!policy) {
    const message =
      'no rehearsal policy knows this conversation: to use a language model, set OPENAI_BASE_URL and OPENAI_API_KEY';
    throw new Refusal(400, message, 'no_policy');
  }
  const conversation = JSON.stringify([asked.messages, asked.tools]);
  const promptTokens = countTokens(conversation);
  if (contextTokens !== undefined && promptTokens > contextTokens) {
    const message = `the request exceeds the available context size: ${promptTokens} of ${contextTokens} tokens`;
    throw new Refusal(400, message, 'context_length_exceeded', 'exceed_context_size_error');
  }
  const maxTokens = asked.max_completion_tokens ?? asked.max_tokens;
  return playAnswer(policy.answer(request), { conversation, promptTokens, maxTokens }, countTokens);
}

/** Near enough for a stand-in: English has about four characters a token. */
function approximateTokens(text: string): number {
  return Math.ceil(text.length / 4);
}
