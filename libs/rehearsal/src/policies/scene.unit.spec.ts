import { describe, expect, it } from 'vitest';
import type { WireMessage } from '../rehearsal-policy.js';
import { filterCalls, readFileInView, recallResult, readScene, type Scene } from './scene.js';
import { summaryPolicy } from './summary.js';

const TODO_LIST = `Phase 2: Extract and identify (tactical)

[x] 1. Extract the text.
[ ] 2. Cut it.   ← CURRENT`;

const system: WireMessage = { role: 'system', content: `You are the agent "creator" (Creator).\n\n${TODO_LIST}` };

type MadeCall = readonly [name: string, args: object, result: string];

let answers = 0;

function answer(...calls: readonly MadeCall[]): readonly WireMessage[] {
  const number = (answers += 1);
  return [
    {
      role: 'assistant',
      content: null,
      tool_calls: calls.map(([name, args], i) => ({
        id: `${number}.${i}`,
        function: { name, arguments: JSON.stringify(args) },
      })),
    },
    ...calls.map(([, , content], i): WireMessage => ({ role: 'tool', tool_call_id: `${number}.${i}`, content })),
  ];
}

const sceneAfter = (...answers: readonly (readonly WireMessage[])[]): Scene =>
  readScene({ messages: [system, { role: 'user', content: 'Begin.' }, ...answers.flat()] });

const DONE: MadeCall = ['todo_complete', {}, 'Todo 1 is done.'];

describe('scene of a rehearsal', () => {
  it('repeats the call of a cleared result, or reads its file', () => {
    const scene = sceneAfter(
      answer(
        ['chunk_document', { path: 'a' }, '[Cleared: 900 characters. Repeat the call if you need them.]'],
        ['cite_document', {}, '[Cleared: 900 bytes, stored in tool_results/c_1.txt.]'],
      ),
    );
    const [chunked, cited] = scene.calls;
    expect(recallResult(scene, chunked!)).toEqual({ ask: { name: 'chunk_document', arguments: { path: 'a' } } });
    expect(recallResult(scene, cited!)).toEqual({
      ask: { name: 'read_file', arguments: { path: 'tool_results/c_1.txt' } },
    });
  });

  it('has the full text of a previewed result only after its file was read, window by window', () => {
    const preview =
      '[This result is long: 9 characters, 9 bytes, 5 lines. The full text is in tool_results/x.txt; its beginning and end follow.]\na\n[… bytes 1 to 8 of 9 are only in tool_results/x.txt …]\ne';
    const citeAnswer = answer(['cite_document', {}, preview]);
    const path = 'tool_results/x.txt';
    const first = answer(['read_file', { path }, 'a\nb\n[lines 1 to 2 of 5. Continue with from_line 3.]']);
    const second = answer(['read_file', { path, from_line: 3 }, 'c\n[bytes 4 to 6 of 9. Continue with from_byte 6.]']);
    const last = answer(['read_file', { path, from_byte: 6 }, 'd\ne\n[bytes 6 to 9 of 9.]']);
    const ask = (...answers: readonly (readonly WireMessage[])[]): unknown => {
      const scene = sceneAfter(citeAnswer, ...answers);
      return recallResult(scene, filterCalls(scene.calls, 'cite_document')[0]!);
    };
    expect(ask()).toMatchObject({ ask: { arguments: { path } } });
    expect(ask(first)).toMatchObject({ ask: { arguments: { path, from_line: 3 } } });
    expect(ask(first, second)).toMatchObject({ ask: { arguments: { path, from_byte: 6 } } });
    expect(ask(first, second, last)).toMatchObject({ text: expect.stringMatching(/^a\nb\nc.*d\ne/s) as string });
  });

  it('treats a read as outdated once the file was changed', () => {
    const read = answer(['read_file', { path: 'n.md' }, 'old']);
    const changed = answer(['append_file', { path: 'n.md', content: 'new' }, 'Appended.']);
    expect(readFileInView(sceneAfter(read), 'n.md')).toEqual({ text: 'old' });
    expect(readFileInView(sceneAfter(read, changed), 'n.md')).toHaveProperty('ask');
  });

  it('starts at the current todo, even if the result of the last todo_complete was cleared', () => {
    const cleared: MadeCall = ['todo_complete', {}, '[Cleared: 70 characters. Repeat the call if you need them.]'];
    for (const done of [DONE, cleared]) {
      const scene = sceneAfter(
        answer(['chunk_document', { path: 'a' }, 'Cut.'], done),
        answer(['file_exists', {}, 'x']),
      );
      expect(scene.callsOnTodo.map(({ name }) => name)).toEqual(['file_exists']);
    }
  });

  it('includes calls from a summary of older messages', () => {
    const text = [
      'Agent: Reading.',
      'Agent calls extract_document_text {"path":"documents/a.md"}',
      'Result: Read documents/a.md: Markdown.',
      'Written: and more',
      'Agent calls todo_complete {"notes":"x"}',
      'Result: Todo 1 is done.',
      'Agent calls chunk_document {"path":"work/a.md/blocks.jsonl"}',
      'Result: Cut it into 3 chunks.',
    ].join('\n');
    const asked = {
      model: 'rehearsal',
      messages: [
        { role: 'system', content: 'You summarise the conversation of an agent that works through a todo list.' },
        { role: 'user', content: text },
      ],
      tools: [],
      toolNames: [],
    };
    expect(summaryPolicy.matches(asked)).toBe(true);
    const { content = '' } = summaryPolicy.answer(asked);
    const summaryMessage: WireMessage = {
      role: 'system',
      content: `Your summary of the earlier part of this phase, whose messages were removed:\n${content}`,
    };
    const scene = readScene({ messages: [system, summaryMessage, ...answer(['file_exists', {}, 'x'])] });
    expect(scene.callsOnTodo).toMatchObject([
      { name: 'chunk_document', arguments: { path: 'work/a.md/blocks.jsonl' }, shown: 'summarised' },
      { name: 'file_exists', shown: 'whole' },
    ]);
  });
});
