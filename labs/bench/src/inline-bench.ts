import { setImmediate as nextTick } from 'node:timers/promises';
import { SUBMIT_LIMITS, submitRequestSchema } from '@phaseline/contracts';
import { foldPhase, type PhaseEvent, type PhaseState } from '@phaseline/domain';
import { inlinePacks } from '@phaseline/inline-packs';
import { ToolRegistry, type InlineTool } from '@phaseline/tools';
import { sha256, StagedWorkspace, type Tree } from '@phaseline/workspace';
import { BenchFailed } from './bench-failed.js';
import { createPhase } from './context/create-phase.js';
import { planFiles, planningCases } from './planning-cases.js';

/*
 * Measures how long each inline tool (lane `inline`) blocks the event loop of its worker, in a workspace with many files. A second loop
 * counts turns of the event loop; the result is the longest time between two of them. As in a worker, it includes staging the changed
 * files and folding the events of the call. The longest of several rounds counts, so that caches of an earlier round hide nothing.
 *
 * Options: files of the workspace, rounds.
 */

export interface InlineRow {
  readonly tool: string;
  /** The case, if a tool is measured with several arguments. */
  readonly what: string;
  /** Longest CPU time of the thread without a turn of the event loop, in milliseconds. */
  readonly blockedMs: number;
  readonly tookMs: number;
  /** Turns of the event loop during the call. */
  readonly turns: number;
  /** Error code, if the call was refused. */
  readonly refused?: string;
}

/**
 * CPU time of this thread in milliseconds, so that other programs on the machine do not matter. Wall-clock time where Node does not
 * provide it.
 */
function threadCpuMs(): number {
  if (!('threadCpuUsage' in process)) return performance.now();
  const { user, system } = (process.threadCpuUsage as () => NodeJS.CpuUsage)();
  return (user + system) / 1_000;
}

/** Maximum time in milliseconds for which an inline tool may block the event loop. */
export const MAX_BLOCKED_MS = 50;

interface ToolCase {
  readonly tool: string;
  readonly what: string;
  readonly args: Record<string, unknown>;
}

const LINE = 'The service keeps every record for ten years and tells who has read it.';
const TODOS = Array.from({ length: 12 }, (_, index) => ({
  content: `Write part ${index + 1} of the report, with figures`,
}));

const FEATURES = Array.from({ length: 12 }, (_, index) => ({
  id: `feature-${index + 1}`,
  description: LINE,
  checks: [{ verifier: 'unit', tests: [LINE] }],
}));

/** The calls that are measured, at least one per inline tool. */
export const TOOL_CASES: readonly ToolCase[] = [
  { tool: 'read_file', what: 'a small file', args: { path: 'data/00/00000.txt' } },
  { tool: 'read_file', what: 'the middle of 4 MB', args: { path: 'large/lines.txt', from_line: 40_000 } },
  { tool: 'read_file', what: 'one line of 1 MB', args: { path: 'large/one-line.txt' } },
  { tool: 'read_file', what: 'one line of 50 MB, by bytes', args: { path: 'large/50-mb.txt', from_byte: 40_000_000 } },
  {
    tool: 'read_file',
    what: 'one line of 50 MB, a missing line',
    args: { path: 'large/50-mb.txt', from_line: 2 },
  },
  { tool: 'read_file', what: 'a missing file', args: { path: 'data/00/missing.txt' } },
  { tool: 'write_file', what: 'a new file', args: { path: 'output/new.md', content: LINE } },
  { tool: 'write_file', what: '2 MB', args: { path: 'output/new.md', content: 'x'.repeat(2_000_000) } },
  { tool: 'append_file', what: 'to 4 MB', args: { path: 'large/lines.txt', content: LINE } },
  { tool: 'edit_file', what: 'of 4 MB', args: { path: 'large/lines.txt', old_text: 'line 40000 ', new_text: 'x ' } },
  {
    tool: 'edit_file',
    what: 'of 4 MB, in every line',
    args: { path: 'large/lines.txt', old_text: 'The service', new_text: 'This service', replace_all: true },
  },
  {
    tool: 'edit_file',
    what: 'of 4 MB, a long text that almost matches everywhere',
    args: { path: 'large/one-letter.txt', old_text: `${'a'.repeat(50_000)}b${'a'.repeat(50_000)}`, new_text: 'x' },
  },
  { tool: 'list_files', what: 'all', args: {} },
  { tool: 'list_files', what: 'one folder', args: { path: 'data/07' } },
  { tool: 'search_files', what: 'a text in all files', args: { query: 'nowhere to be found' } },
  { tool: 'search_files', what: 'a pattern in all files', args: { query: 'keeps\\s+no', regex: true } },
  { tool: 'search_files', what: 'a pattern with endless backtracking', args: { query: '^(\\w+\\s?)+$', regex: true } },
  { tool: 'file_exists', what: '', args: { path: 'data/00/00000.txt' } },
  { tool: 'delete_file', what: '', args: { path: 'data/00/00000.txt' } },
  { tool: 'todo_write', what: '12 todos', args: { phase: 'Write', description: LINE, todos: TODOS } },
  { tool: 'todo_complete', what: '', args: { notes: LINE } },
  { tool: 'todo_rewind', what: '', args: { issue: LINE } },
  { tool: 'job_complete', what: '', args: { summary: LINE, confidence: 1 } },
  { tool: 'phase_return', what: '', args: { result: { summary: LINE.repeat(100) } } },
  { tool: 'delegate', what: '', args: { agent: 'writer', task: LINE } },
  { tool: 'submit_features', what: '12 features', args: { features: FEATURES, setup: LINE } },
  { tool: 'add_todo', what: '', args: { content: LINE } },
  { tool: 'start_todo', what: '', args: { todo_id: 1 } },
  { tool: 'complete_todo', what: '', args: { todo_id: 1 } },
  { tool: 'block_todo', what: '', args: { reason: LINE } },
  { tool: 'unblock_todo', what: '', args: {} },
  { tool: 'list_todos', what: '', args: {} },
  { tool: 'get_progress', what: '', args: {} },
  { tool: 'get_next_todo', what: '', args: {} },
  { tool: 'archive_and_reset', what: '', args: { issue: LINE } },
  { tool: 'generate_workspace_summary', what: '', args: {} },
  { tool: 'get_workspace_summary', what: '', args: {} },
  { tool: 'add_accomplishment', what: '', args: { text: LINE } },
  { tool: 'add_note', what: 'to a memory with long blank headings', args: { text: LINE } },
  { tool: 'describe_file', what: '', args: { path: 'data/00/00001.txt', purpose: LINE } },
  { tool: 'add_experience', what: '', args: { kind: 'lesson', text: LINE } },
  { tool: 'search_tools', what: '', args: { query: 'how a file in the workspace looks '.repeat(14) } },
  { tool: 'read_skill', what: '', args: { name: 'writing' } },
  {
    tool: 'run_script',
    what: 'a loop of 100,000 iterations',
    args: { code: 'let n = 0; for (let i = 0; i < 1e5; i += 1) n += i; return n;' },
  },
  {
    tool: 'ask_person',
    what: 'with a schema',
    args: { question: LINE, schema: { type: 'object', properties: { size: { type: 'integer' } } }, deadline: '8h' },
  },
  { tool: 'cite_web', what: 'a source of 1 MB, among 5,000 sources', args: { source: 1, quote: LINE } },
  {
    tool: 'cite_web',
    what: 'a missing quote',
    args: { source: 1, quote: 'The service keeps every recording for a hundred years' },
  },
  ...planningCases,
];

/** Measures every inline tool. */
export async function measureInlineTools({
  files,
  rounds,
}: {
  files: number;
  rounds: number;
}): Promise<readonly InlineRow[]> {
  const tools = new ToolRegistry(inlinePacks);
  const inline = inlinePacks.flatMap((pack) => pack.tools).filter((tool): tool is InlineTool => tool.lane === 'inline');
  const { tree, blobs } = createWorkspace(files);
  const state = createState(tree);
  const specsOf = (names: readonly string[]) => tools.forPhase(state).specsOf(names);
  const rows: InlineRow[] = [];
  for (const toolCase of TOOL_CASES) {
    const tool = inline.find(({ name }) => name === toolCase.tool);
    if (!tool) throw new BenchFailed(`unknown inline tool ${toolCase.tool}`);
    const results: InlineRow[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const workspace = new StagedWorkspace(tree, { get: async (hash) => blobs.get(hash) });
      results.push(
        await measure(toolCase, async () => {
          const input = tool.input.safeParse(toolCase.args);
          if (!input.success) throw new BenchFailed(`invalid arguments for ${toolCase.tool}: ${input.error.message}`);
          const outcome = await tool.run({ state, workspace, callId: 'call_1', now: new Date(0), specsOf }, input.data);
          // The phase runner does the same for a large tree.
          if (outcome.files?.length) await nextTick();
          const { facts } = workspace.stage(outcome.files ?? [], new Date(0), 'call_1');
          fold(state, [...facts, ...(outcome.events ?? [])]);
        }),
      );
    }
    rows.push(results.reduce((worst, row) => (row.blockedMs > worst.blockedMs ? row : worst)));
  }
  rows.push(
    await measure({ tool: '(fold)', what: 'one event per file', args: {} }, async () => {
      const facts = Object.entries(tree).map(([path, entry]): PhaseEvent => ({
        type: 'FileWritten',
        data: { path, ...entry },
      }));
      fold(createPhase({}), facts);
    }),
  );
  rows.push(await measureDocumentInJson());
  return rows;
}

/** Measures how an orchestrator handles the largest document that it accepts in JSON: parsing, validating and decoding, each in one turn. */
async function measureDocumentInJson(): Promise<InlineRow> {
  const content = Buffer.alloc(SUBMIT_LIMITS.documentBytes, 'a document ');
  const request = { agent: 'creator', documents: [{ name: 'a.bin', contentBase64: content.toString('base64') }] };
  const body = Buffer.from(JSON.stringify(request));
  return measure({ tool: '(submit)', what: 'a document of 32 MiB in JSON', args: {} }, async () => {
    const parsed: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
    await nextTick();
    const { documents = [] } = submitRequestSchema.parse(parsed);
    const [document] = documents.map(({ contentBase64 = '' }) => Buffer.from(contentBase64, 'base64'));
    if (document?.equals(content) !== true) throw new BenchFailed('the decoded document differs from the original');
  });
}

function fold(state: PhaseState, facts: readonly PhaseEvent[]): void {
  foldPhase(facts, state);
}

async function measure({ tool, what }: ToolCase, run: () => Promise<void>): Promise<InlineRow> {
  let turns = 0;
  let heldMs = 0;
  let isOver = false;
  let refused: string | undefined;
  let tookMs = 0;
  await nextTick();
  const began = performance.now();
  let last = threadCpuMs();
  const turn = (): void => {
    const now = threadCpuMs();
    heldMs = Math.max(heldMs, now - last);
    last = now;
    turns += 1;
  };
  const turnCounter = (async () => {
    while (!isOver) {
      await nextTick();
      turn();
    }
  })();
  try {
    await run();
  } catch (error) {
    if (error instanceof BenchFailed || !(error instanceof Error) || !('code' in error)) throw error;
    refused = String(error.code);
  } finally {
    turn();
    tookMs = performance.now() - began;
    isOver = true;
    await turnCounter;
  }
  return { tool, what, blockedMs: heldMs, tookMs, turns, ...(refused === undefined ? {} : { refused }) };
}

function createWorkspace(count: number): { tree: Tree; blobs: Map<string, Uint8Array> } {
  const tree: Record<string, Tree[string]> = {};
  const blobs = new Map<string, Uint8Array>();
  const put = (path: string, text: string): void => {
    const bytes = new TextEncoder().encode(text);
    const hash = sha256(bytes);
    tree[path] = { hash, size: bytes.byteLength, writtenAt: '2026-01-01T00:00:00.000Z' };
    blobs.set(hash, bytes);
  };
  for (let index = 0; index < count; index += 1) {
    const number = String(index).padStart(5, '0');
    put(`data/${number.slice(-2)}/${number}.txt`, `File ${number}\n${`${LINE}\n`.repeat(10)}`);
  }
  put(
    'large/lines.txt',
    Array.from({ length: 60_000 }, (_, index) => `line ${index} ${LINE}`)
      .join('\n')
      .slice(0, 4_000_000),
  );
  put('large/one-line.txt', `${'word '.repeat(200_000)}!`);
  put('large/50-mb.txt', 'word '.repeat(10_000_000));
  put('large/one-letter.txt', 'a'.repeat(4_000_000));
  for (const [path, text] of Object.entries(planFiles)) put(path, text);
  put('skills/writing/SKILL.md', `# Writing\n\n${LINE}\n`);
  put('workspace.md', `# Workspace\n\n${`##\t${' '.repeat(400)}x${' '.repeat(400)}#\u2028y\n`.repeat(60)}`);
  const source = `<!-- source 1: https://example.org\n     retrieved 2026-01-01T00:00:00.000Z, sha256 ${'0'.repeat(64)} -->\n\n${`${LINE}\n\n`.repeat(13_000)}`;
  put('sources/1.md', source);
  const sourceFields = {
    file: 'sources/1.md',
    url: 'https://example.org',
    title: 'Example',
    tool: 'fetch_url',
    retrievedAt: '2026-01-01T00:00:00.000Z',
    contentType: 'text/plain',
    sha256: '0'.repeat(64),
    textSha256: tree['sources/1.md']!.hash,
    textLine: 4,
  };
  put(
    'sources/index.jsonl',
    Array.from({ length: 5_000 }, (_, index) => `${JSON.stringify({ number: index + 1, ...sourceFields })}\n`).join(''),
  );
  return { tree, blobs };
}

function createState(tree: Tree): PhaseState {
  const phase = createPhase({
    workspace: { tree: { ...tree } },
    plan: {
      todos: Array.from({ length: 20 }, (_, index) => ({
        id: index + 1,
        content: `Do part ${index + 1}`,
        status: 'open' as const,
        ...(index === 19 ? { blocked: LINE } : {}),
      })),
    },
    terms: {
      skills: [{ name: 'writing', description: 'How to write.' }],
      onDemand: ['read_file', 'write_file', 'search_files', 'list_files', 'cite_web', 'add_note'],
    },
    routes: { rewind: { outcome: 'rewound', gates: [] } },
  });
  // The call that every tool is given. Some read it in the state.
  const requested: PhaseEvent = {
    type: 'ToolCallRequested',
    data: {
      ...{ callId: 'call_1', step: 1, name: 'delegate', arguments: {}, timeoutMs: 60_000 },
      ...{ lane: 'inline' as const, effect: 'idempotent' as const, traits: [] },
    },
  };
  return foldPhase([requested], phase)!;
}
