import type { AnswerEnd, ChatAnswer, ChatRequest, JsonObject, TokenUsage } from '@phaseline/domain';
import type { ChatModel } from './chat-model.js';
import { ModelError } from './model-error.js';

export interface InstantAnswer {
  readonly content?: string;
  readonly reasoning?: string;
  readonly calls?: readonly { readonly name: string; readonly arguments: JsonObject }[];
  /** By default what follows from the calls. */
  readonly end?: AnswerEnd;
  readonly usage?: TokenUsage;
}

const NO_USAGE: TokenUsage = { inputTokens: 0, cachedInputTokens: 0, outputTokens: 0, estimated: true };

/**
 * A model in this process that takes no time, for benches and tests of what lies around a model.
 *
 * @param answerFn What it says to a request; what it throws rejects the call as it is.
 */
export function instantModel(answerFn: (request: ChatRequest) => InstantAnswer | Promise<InstantAnswer>): ChatModel {
  let callsMade = 0;
  return {
    async complete(request, { signal, onDelta }): Promise<ChatAnswer> {
      if (signal.aborted) throw new ModelError('aborted', 'the model call was aborted by its caller');
      const { content = '', reasoning, calls = [], end, usage = NO_USAGE } = await answerFn(request);
      if (content !== '' || reasoning !== undefined)
        onDelta?.({ ...(content === '' ? {} : { content }), ...(reasoning === undefined ? {} : { reasoning }) });
      return {
        content,
        ...(reasoning === undefined ? {} : { reasoning }),
        calls: calls.map((call) => ({
          id: `call_${++callsMade}`,
          name: call.name,
          arguments: { kind: 'parsed', value: call.arguments },
        })),
        end: end ?? (calls.length > 0 ? 'calls' : 'stop'),
        usage,
      };
    },
  };
}
