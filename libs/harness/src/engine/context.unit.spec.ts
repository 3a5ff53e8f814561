import { agentDefinitionSchema, resultPath, type ContextSettings, type PhaseEvent } from '@phaseline/domain';
import { ToolError, type ChatRequest } from '@phaseline/contracts';
import { modelProfileSchema } from '@phaseline/model';
import { defineRemoteTool, type ToolPack } from '@phaseline/tools';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { MemoryLog } from '@phaseline/memory-log';
import { toChatAnswer, Engine, type EngineOptions, type Policy, type Reply } from './engine.js';
import { call, calls, createThreePhasePolicy, parsePrompt } from './scripts.js';

/** One tool per effect. Each returns the given text repeatedly, as a result or as an error message. */
const talkativePack: ToolPack = {
  name: 'talkative',
  tools: (['pure', 'idempotent', 'once'] as const).map((effect) =>
    defineRemoteTool({
      name: `say_${effect}`,
      description: '',
      effect,
      timeoutMs: 5_000,
      input: z.object({ text: z.string(), times: z.int().default(1), fails: z.boolean().default(false) }),
      run: async (_context, { text, times, fails }) => {
        if (fails) throw new ToolError('it_failed', text.repeat(times));
        return { content: text.repeat(times) };
      },
    }),
  ),
};

const marked = (what: string): string => `MARK-${what}-MARK`;

interface Play {
  readonly engine: Engine;
  readonly jobId: string;
  readonly requests: readonly ChatRequest[];
  /** Events of the tactical phase. */
  readonly events: readonly PhaseEvent[];
  file(path: string): Promise<string>;
}

async function play(
  work: Policy,
  options: Partial<EngineOptions> & { context?: Partial<ContextSettings>; contextTokens?: number } = {},
): Promise<Play> {
  const store = new MemoryLog(Date.now);
  const requests: ChatRequest[] = [];
  const { context, contextTokens = 100_000 } = options;
  const policy = createThreePhasePolicy(work);
  const profile = modelProfileSchema.parse({
    name: 'default',
    model: 'scripted',
    contextTokens,
    maxOutputTokens: 1_000,
  });
  const model = {
    complete: async (request: ChatRequest, { signal }: { signal: AbortSignal }) => {
      requests.push(request);
      // Only the request for a summary offers no tools.
      if (request.tools.length === 0) return toChatAnswer({ content: marked('summary') });
      return toChatAnswer(await policy(request, signal));
    },
  };
  const engine = new Engine({
    store,
    policy,
    packs: [talkativePack],
    model: { profile, model, contextTokens },
    ...options,
    agent: {
      tools: {
        workspace: ['read_file', 'write_file', 'list_files', 'search_files'],
        strategic: ['todo_write', 'todo_complete', 'job_complete'],
        tactical: ['todo_complete'],
        domain: talkativePack.tools.map(({ name }) => name),
      },
      ...(context
        ? {
            context: {
              keepResults: 5,
              clearTokens: 12_000,
              summariseTokens: 80_000,
              todoList: 'after-system',
              ...context,
            },
          }
        : {}),
      ...options.agent,
    },
  });
  const jobId = await engine.submitAndRun();
  const events = (await engine.phaseEvents(jobId, 2)) as readonly PhaseEvent[];
  const { tree } = await engine.loadPhase(jobId, 2);
  const file = async (path: string): Promise<string> =>
    new TextDecoder().decode(await store.blobs.get(tree[path]!.hash));
  return { engine, jobId, requests, events, file };
}

/** Returns the replies one after the other, then completes the todo. */
function script(...replies: readonly Reply[]): Policy {
  let turn = 0;
  return () => replies[turn++] ?? call('todo_complete');
}

const resultOf = (events: readonly PhaseEvent[], callId: string): string => {
  for (const { type, data } of events) {
    if (type === 'ToolCallCompleted' && data.callId === callId) return data.content;
    if (type === 'ToolCallFailed' && data.callId === callId) return data.message;
  }
  throw new Error(`${callId} has not ended`);
};
/** Paths of the files written by calls, without the phase's archive. */
const pathsWrittenByCalls = (events: readonly PhaseEvent[]): string[] =>
  events.flatMap((event) => (event.type === 'FileWritten' && event.data.callId ? [event.data.path] : []));
const PATH = resultPath('call_2_1_1');

describe('a long result', () => {
  it.each([
    [
      'of a remote tool',
      { name: 'say_pure', arguments: { text: 'Größe 🙂\r\n', times: 5_000 } },
      'Größe 🙂\r\n'.repeat(5_000),
    ],
    [
      'of a failed call',
      { name: 'say_once', arguments: { text: 'no ', times: 5_000, fails: true } },
      'no '.repeat(5_000),
    ],
  ])('%s is committed as a file with the end of its call and can be read in parts', async (_name, asked, whole) => {
    const readAll: Reply[] = Array.from({ length: 5 }, (_, part) =>
      call('read_file', { path: PATH, from_byte: part * 15_000, to_byte: (part + 1) * 15_000 }),
    );
    const size = new TextEncoder().encode(whole).byteLength;
    const { events, file } = await play(script({ calls: [asked] }, ...readAll.slice(0, Math.ceil(size / 15_000))));
    expect(await file(PATH)).toBe(whole);
    const at = events.findIndex(({ type, data }) => type === 'FileWritten' && data['path'] === PATH);
    expect(events[at]).toMatchObject({ data: { path: PATH, callId: 'call_2_1_1' } });
    expect(events[at + 1]).toMatchObject({
      type: expect.stringMatching(/^ToolCall(Completed|Failed)$/),
      data: { callId: 'call_2_1_1' },
    });
    expect(resultOf(events, 'call_2_1_1')).toContain(`The full text is in ${PATH}`);
    const parts = Array.from({ length: Math.ceil(size / 15_000) }, (_, part) =>
      resultOf(events, `call_2_${part + 2}_1`),
    );
    expect(parts.map((part) => part.replace(/\n\[bytes [^\n]*\]$/, '')).join('')).toBe(whole);
    expect(pathsWrittenByCalls(events)).toEqual([PATH]);
  });

  it.each([600, 200])(
    'of an inline tool is stored too, but never a result of read_file: limit of %i characters',
    async (maxCharacters) => {
      const { limits } = agentDefinitionSchema.parse({ name: 'tester', displayName: 'Tester', tools: {} });
      const { events } = await play(
        script(
          call('write_file', { path: 'a.txt', content: `find me ${'here '.repeat(50)}\n`.repeat(200) }),
          call('search_files', { query: 'find me' }),
          call('read_file', { path: 'a.txt' }),
        ),
        { agent: { limits: { ...limits, resultCharacters: maxCharacters } } },
      );
      expect(pathsWrittenByCalls(events)).toEqual(['a.txt', resultPath('call_2_2_1')]);
      expect(resultOf(events, 'call_2_3_1')).toMatch(/Continue with from_(line|byte) \d+\.\]$/);
      // The smallest possible limit is too small for the note at the end of a part.
      expect(resultOf(events, 'call_2_3_1').length).toBeLessThanOrEqual(Math.max(maxCharacters, 240));
    },
  );

  it('cannot be overwritten by the agent and does not count as a deliverable', async () => {
    const { engine, jobId, events } = await play(
      script(call('say_pure', { text: 'x', times: 30_000 }), call('write_file', { path: PATH, content: 'forged' })),
      { agent: { deliverables: [PATH] } },
    );
    expect(resultOf(events, 'call_2_2_1')).toContain('cannot be changed');
    expect((await engine.loadJob(jobId)).status).not.toBe('completed');
    const refused = (await engine.phaseEvents(jobId, 3)).find(({ type }) => type === 'TransitionRejected');
    expect(refused?.data['message']).toContain(PATH);
  });
});

describe('clearing', () => {
  const context = { keepResults: 1, clearTokens: 500 };

  it('refers to the file of a long result, and stores short ones as files if a second call would not return the same', async () => {
    const text = 'some words of a result ';
    const { events, file, requests } = await play(
      script(
        call('say_pure', { text, times: 3_000 }),
        call('say_idempotent', { text, times: 100 }),
        call('say_pure', { text, times: 100 }),
        call('say_once', { text, times: 50 }),
      ),
      { context },
    );
    const cleared = events.flatMap((event) => (event.type === 'ToolResultsCleared' ? event.data.callIds : []));
    expect(cleared).toEqual(expect.arrayContaining(['call_2_1_1', 'call_2_2_1', 'call_2_3_1']));
    const last = requests.findLast(({ tools }) => tools.some(({ name }) => name === 'say_pure'))!;
    const shown = Object.fromEntries(
      last.messages.flatMap((message) => (message.role === 'tool' ? [[message.callId, message.content]] : [])),
    );
    expect(shown['call_2_1_1']).toContain(PATH);
    expect(shown['call_2_2_1']).toContain(resultPath('call_2_2_1'));
    expect(shown['call_2_3_1']).toMatch(/Repeat the call/);
    expect(await file(resultPath('call_2_2_1'))).toBe(text.repeat(100));
    await expect(file(resultPath('call_2_3_1'))).rejects.toThrow();
  });

  it('lets a phase continue whose last answer requested more than fits into the context', async () => {
    const asked = Array.from(
      { length: 8 },
      (_, index) => ['say_pure', { text: `word${index} `, times: 2_800 }] as [string, object],
    );
    const { engine, jobId, requests, file } = await play(script(calls(...asked)), { contextTokens: 16_000 });
    expect((await engine.loadJob(jobId)).status).toBe('completed');
    const after = requests.find(
      (request) => parsePrompt(request).kind === 'tactical' && parsePrompt(request).turn === 1,
    )!;
    const results = after.messages.flatMap((message) => (message.role === 'tool' ? [message.content] : []));
    expect(results).toHaveLength(8);
    expect(results.some((result) => result.includes('word'))).toBe(true);
    const clearedIndex = results.findIndex(
      (result) => result.includes(resultPath(`call_2_1_1`)) || /tool_results\/call_2_1_\d/.test(result),
    );
    expect(await file(resultPath(`call_2_1_${clearedIndex + 1}`))).toBe(`word${clearedIndex} `.repeat(2_800));
  });
});

describe('the token ledger', () => {
  it('is recorded with every model call, including summaries, and adds up to the tokens sent', async () => {
    const { engine, jobId } = await play(
      script(...Array.from({ length: 12 }, (_, index) => call('say_pure', { text: `finding ${index} `, times: 300 }))),
      { context: { summariseTokens: 4_000, clearTokens: 10_000_000, keepResults: 1_000 } },
    );
    const events = (
      await Promise.all([1, 2, 3].map((phase) => engine.phaseEvents(jobId, phase)))
    ).flat() as unknown as readonly PhaseEvent[];
    const started = events.flatMap((event) => (event.type === 'ModelCallStarted' ? [event.data] : []));
    expect(started.some(({ purpose }) => purpose === 'summary')).toBe(true);
    expect(started.some(({ layers }) => layers!.summary > 0)).toBe(true);
    for (const { inputTokens, layers } of started) {
      const { system, todos, tools, summary, conversation } = layers!;
      expect(system + todos + tools + summary + conversation).toBe(inputTokens);
    }
  });
});

describe('a new phase', () => {
  it('starts without the previous conversation: no text, no calls, no results, no summary', async () => {
    let turns = 0;
    const { engine, requests, jobId } = await play(
      () => {
        turns += 1;
        if (turns === 1) return { content: marked('words'), calls: [say(marked('result'), 400)] };
        if (turns < 8) return { content: marked('later'), calls: [say(`${marked('argument')} ${turns} `, 100)] };
        return turns === 8 ? { content: marked('stopped') } : call('todo_complete');
      },
      { context: { summariseTokens: 4_000 } },
    );
    expect((await engine.loadJob(jobId)).status).toBe('completed');
    const sent = (phase: number): string =>
      JSON.stringify(requests.filter((request) => parsePrompt(request).phase === phase));
    // All of it was sent in the phase before.
    const shown = ['words', 'result', 'later', 'argument', 'stopped', 'summary'];
    expect(shown.filter((what) => !sent(2).includes(marked(what)))).toEqual([]);
    expect(sent(3)).not.toBe('[]');
    expect(sent(3).includes('MARK')).toBe(false);
  });
});

function say(text: string, times: number) {
  return { name: 'say_pure', arguments: { text, times } };
}
