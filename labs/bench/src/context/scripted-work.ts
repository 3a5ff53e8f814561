import type { ChatRequest, CallId } from '@phaseline/contracts';
import { defineRemoteTool, type ToolPack } from '@phaseline/tools';
import { z } from 'zod';
import { SeededRandom, type Reply } from '@phaseline/harness';
import { drawResultLength, generateText } from './sample-text.js';

export interface WorkOptions {
  readonly seed: number;
  /** Number of model calls after which the job ends. */
  readonly steps: number;
  /** Tool calls between two completed todos. */
  readonly callsPerTodo: number;
  readonly todosPerPhase: number;
  /** Adds what later phases need to know to workspace.md while it plans. */
  readonly writesMemory?: boolean;
}

/** Median length of a fetched passage in characters: about 1,300 tokens; the mean is 2,000 tokens. */
const PASSAGE_CHARACTERS = 6_000;
/** Median length of a search result in characters. */
const HITS_CHARACTERS = 2_500;

/**
 * Plays a model that reads documents: fetches passages, searches, takes notes and completes todos. Its calls do not depend on the
 * context, so that different context strategies can be compared on the same work.
 */
export class ScriptedWork {
  /** Full tool results by call. */
  readonly results = new Map<string, string>();
  private readonly words: SeededRandom;
  private readonly sizes: SeededRandom;
  private steps = 0;
  private callsInTodo = 0;

  constructor(private readonly options: WorkOptions) {
    this.words = new SeededRandom(options.seed);
    this.sizes = new SeededRandom(options.seed + 1);
  }

  readonly pack: ToolPack = {
    name: 'reading',
    tools: [
      defineRemoteTool({
        name: 'fetch_passage',
        description: 'Gets a passage of a document of the corpus by its number.',
        effect: 'pure',
        timeoutMs: 60_000,
        input: z.object({ document: z.string(), passage: z.int() }),
        run: async ({ callId }) => ({ content: this.createResult(callId, PASSAGE_CHARACTERS) }),
      }),
      defineRemoteTool({
        name: 'search_corpus',
        description: 'Finds passages of the corpus that fit a question, best first, with an excerpt of each.',
        effect: 'pure',
        timeoutMs: 60_000,
        input: z.object({ question: z.string() }),
        run: async ({ callId }) => ({ content: this.createResult(callId, HITS_CHARACTERS) }),
      }),
    ],
  };

  readonly policy = (request: ChatRequest): Reply => {
    if (request.tools.length === 0) return { content: generateText(this.words, 2_400) };
    this.steps += 1;
    const content = generateText(this.words, this.words.between(60, 280));
    const isOver = this.steps >= this.options.steps;
    if (request.tools.some(({ name }) => name === 'todo_write')) {
      this.callsInTodo = 0;
      return { content, calls: isOver ? [finish] : this.plan() };
    }
    // A todo is done only after a call that works on it.
    if (this.callsInTodo >= (isOver ? 1 : this.options.callsPerTodo)) {
      this.callsInTodo = 0;
      return { content, calls: [{ name: 'todo_complete', arguments: { notes: generateText(this.words, 160) } }] };
    }
    this.callsInTodo += 1;
    return { content, calls: [this.nextCall()] };
  };

  private nextCall(): NonNullable<Reply['calls']>[number] {
    const part = this.words.next();
    const number = this.words.between(1, 900);
    if (part < 0.6)
      return { name: 'fetch_passage', arguments: { document: `documents/part-${number}.pdf`, passage: number } };
    if (part < 0.8) return { name: 'search_corpus', arguments: { question: generateText(this.words, 90) } };
    return {
      name: 'write_file',
      arguments: { path: `work/note-${number}.md`, content: generateText(this.words, 600) },
    };
  }

  private plan(): NonNullable<Reply['calls']> {
    const todos = Array.from({ length: this.options.todosPerPhase }, () => ({ content: generateText(this.words, 90) }));
    const memory = { path: 'workspace.md', content: `- ${generateText(this.words, 400)}\n` };
    return [
      ...(this.options.writesMemory ? [{ name: 'append_file', arguments: memory }] : []),
      { name: 'todo_write', arguments: { phase: 'Read and note', description: 'Note what each part says.', todos } },
      { name: 'todo_complete', arguments: {} },
    ];
  }

  private createResult(callId: CallId, median: number): string {
    const text = generateText(this.sizes, drawResultLength(this.sizes, median));
    this.results.set(callId, text);
    return text;
  }
}

const finish = { name: 'job_complete', arguments: { summary: 'The corpus is read.', confidence: 1 } };
