import { describe, expect, it } from 'vitest';
import { createInstantModel } from './instant-model.js';

const { signal } = new AbortController();
const request = { messages: [{ role: 'user', content: 'Go' }], tools: [] } as const;

describe('instant model', () => {
  it('answers like a model and gives every tool call a unique id', async () => {
    const model = createInstantModel(({ messages }) => ({
      content: messages[0]!.content,
      calls: [{ name: 'a', arguments: { x: 1 } }],
    }));
    const answers = await Promise.all([model.complete(request, { signal }), model.complete(request, { signal })]);
    expect(answers[0]).toMatchObject({
      content: 'Go',
      end: 'calls',
      calls: [{ name: 'a', arguments: { kind: 'parsed', value: { x: 1 } } }],
    });
    expect(new Set(answers.flatMap((answer) => answer.calls.map((call) => call.id))).size).toBe(2);
  });

  it('rejects an aborted call', async () => {
    const outcome = createInstantModel(() => ({})).complete(request, { signal: AbortSignal.abort() });
    await expect(outcome).rejects.toMatchObject({ name: 'ModelError', code: 'aborted' });
  });
});
