import type { JsonObject } from '@phaseline/basics';
import type { ChatAnswer, ChatRequest } from '@phaseline/contracts';
import { ModelError, type ChatModel } from '@phaseline/model';
import type { ScriptedAnswer } from './case-schema.js';

const DEFAULT_USAGE = { input: 100, output: 10 };

/** A model that gives the answers of a case. It keeps the prompts that it received, so that expectations can read them. */
export class ScriptedModel implements ChatModel {
  readonly prompts: string[] = [];
  /** Set once a prompt had no answer. */
  isUsedUp = false;
  private readonly left: number[];

  constructor(private readonly script: readonly ScriptedAnswer[]) {
    this.left = script.map(({ times = 1 }) => times);
  }

  /** Gives the first answer that is left and whose text occurs in the prompt. */
  async complete(request: ChatRequest): Promise<ChatAnswer> {
    const prompt = this.addPrompt(request);
    const index = this.script.findIndex(
      ({ when }, at) => this.left[at]! > 0 && (when === undefined || prompt.includes(when)),
    );
    const answer = this.script[index];
    if (!answer) {
      this.isUsedUp = true;
      throw new ModelError('bad_request', 'the case has no further answer for this prompt', {
        retryable: false,
        mayBeCharged: false,
      });
    }
    this.left[index]! -= 1;
    return toChatAnswer(answer);
  }

  /** Keeps the prompt of a model call and returns it. */
  addPrompt({ messages }: ChatRequest): string {
    const prompt = messages.map(({ content }) => content).join('\n');
    this.prompts.push(prompt);
    return prompt;
  }

  /** Number of answers that were not given. */
  countUnused(): number {
    return this.left.reduce((sum, left) => sum + left, 0);
  }
}

function toChatAnswer({ text = '', calls = [], truncated, usage = DEFAULT_USAGE }: ScriptedAnswer): ChatAnswer {
  return {
    content: text,
    calls: calls.map((call, index) => {
      const [name, args] = Object.entries(call)[0] as [string, JsonObject | null];
      return { id: `call${index + 1}`, name, arguments: { kind: 'parsed' as const, value: args ?? {} } };
    }),
    end: truncated ? 'truncated' : calls.length > 0 ? 'calls' : 'stop',
    usage: { inputTokens: usage.input, cachedInputTokens: 0, outputTokens: usage.output, estimated: false },
  };
}
