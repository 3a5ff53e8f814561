import { setImmediate as nextTick } from 'node:timers/promises';
import { SUBMIT_LIMITS, submitRequestSchema } from '@phaseline/client';
import { foldPhase, type PhaseEvent, type PhaseState } from '@phaseline/domain';
import {
  citationsPack,
  discoveryPack,
  memoryPack,
  scriptsPack,
  skillsPack,
  todosPack,
  ToolRegistry,
  workspacePack,
  type LogTool,
} from '@phaseline/tools';
import { sha256, StagedWorkspace, type Tree } from '@phaseline/workspace';
import { BenchFailed } from './bench-failed.js';
import { phaseOf } from './context/phase-of.js';

/*
 * For how long each inline tool (lane `log`) holds the event loop of its worker without a pause, in a workspace of many files. Beside the
 * tool a loop takes a turn whenever it is let; the longest time between two turns is the figure. Staging the files that the tool changed,
 * and folding the facts of its call, belong to it, as in a worker. Of several rounds the longest counts, so that nothing is hidden by what
 * a round before has cached.
 *
 * Knobs: files of the workspace, rounds.
 */

export interface InlineRow {
  readonly tool: string;
  /** What was asked of it, where one tool is measured in several ways. */
  readonly what: string;
  /** Longest time, of the thread's processor, without a turn of the event loop. */
  readonly heldMs: number;
  readonly tookMs: number;
  /** Turns of the event loop during the call. */
  readonly turns: number;
  /** The code of the failure, where the call was refused. */
  readonly refused?: string;
}

/**
 * Time that this thread has used a processor, in milliseconds: what other programs of the machine do does not count. Where Node does not
 * tell it, the time that has passed.
 */
function threadMs(): number {
  if (!('threadCpuUsage' in process)) return performance.now();
  const { user, system } = (process.threadCpuUsage as () => NodeJS.CpuUsage)();
  return (user + system) / 1_000;
}

/** No inline tool may hold the event loop for longer. */
export const HELD_MS_ALLOWED = 50;

interface Ask {
  readonly tool: string;
  readonly what: string;
  readonly args: Record<string, unknown>;
}

const line = 'The service keeps every record for ten years and tells who has read it.';
const todos = Array.from({ length: 12 }, (_, index) => ({
  content: `Write part ${index + 1} of the report, with figures`,
}));

const asks: readonly Ask[] = [
  { tool: 'read_file', what: 'a small file', args: { path: 'data/00/00000.txt' } },
  { tool: 'read_file', what: 'the middle of 4 MB', args: { path: 'large/lines.txt', from_line: 40_000 } },
  { tool: 'read_file', what: 'one line of 1 MB', args: { path: 'large/one-line.txt' } },
  { tool: 'read_file', what: 'one line of 50 MB, by bytes', args: { path: 'large/50-mb.txt', from_byte: 40_000_000 } },
  {
    tool: 'read_file',
    what: 'one line of 50 MB, a line that is not there',
    args: { path: 'large/50-mb.txt', from_line: 2 },
  },
  { tool: 'read_file', what: 'a file that is not there', args: { path: 'data/00/missing.txt' } },
  { tool: 'write_file', what: 'a new file', args: { path: 'output/new.md', content: line } },
  { tool: 'write_file', what: '2 MB', args: { path: 'output/new.md', content: 'x'.repeat(2_000_000) } },
  { tool: 'append_file', what: 'to 4 MB', args: { path: 'large/lines.txt', content: line } },
  { tool: 'edit_file', what: 'of 4 MB', args: { path: 'large/lines.txt', old_text: 'line 40000 ', new_text: 'x ' } },
  {
    tool: 'edit_file',
    what: 'of 4 MB, in every line',
    args: { path: 'large/lines.txt', old_text: 'The service', new_text: 'This service', replace_all: true },
  },
  {
    tool: 'edit_file',
    what: 'of 4 MB, a long text that nearly matches everywhere',
    args: { path: 'large/one-letter.txt', old_text: `${'a'.repeat(50_000)}b${'a'.repeat(50_000)}`, new_text: 'x' },
  },
  { tool: 'list_files', what: 'all', args: {} },
  { tool: 'list_files', what: 'one folder', args: { path: 'data/07' } },
  { tool: 'search_files', what: 'a text in all files', args: { query: 'nowhere to be found' } },
  { tool: 'search_files', what: 'a pattern in all files', args: { query: 'keeps\\s+no', regex: true } },
  { tool: 'search_files', what: 'a pattern that never ends', args: { query: '^(\\w+\\s?)+$', regex: true } },
  { tool: 'file_exists', what: '', args: { path: 'data/00/00000.txt' } },
  { tool: 'delete_file', what: '', args: { path: 'data/00/00000.txt' } },
  { tool: 'todo_write', what: '12 todos', args: { phase: 'Write', todos } },
  { tool: 'todo_complete', what: '', args: { notes: line } },
  { tool: 'todo_rewind', what: '', args: { issue: line } },
  { tool: 'job_complete', what: '', args: { summary: line, confidence: 1 } },
  { tool: 'add_todo', what: '', args: { content: line } },
  { tool: 'start_todo', what: '', args: { todo_id: 1 } },
  { tool: 'complete_todo', what: '', args: { todo_id: 1 } },
  { tool: 'list_todos', what: '', args: {} },
  { tool: 'get_progress', what: '', args: {} },
  { tool: 'get_next_todo', what: '', args: {} },
  { tool: 'archive_and_reset', what: '', args: { issue: line } },
  { tool: 'generate_workspace_summary', what: '', args: {} },
  { tool: 'get_workspace_summary', what: '', args: {} },
  { tool: 'add_accomplishment', what: '', args: { text: line } },
  { tool: 'add_note', what: 'to a memory of long blank headings', args: { text: line } },
  { tool: 'add_experience', what: '', args: { kind: 'lesson', text: line } },
  { tool: 'search_tools', what: '', args: { query: 'how a file in the workspace looks '.repeat(14) } },
  { tool: 'read_skill', what: '', args: { name: 'writing' } },
  {
    tool: 'run_script',
    what: 'a loop of 100,000 turns',
    args: { code: 'let n = 0; for (let i = 0; i < 1e5; i += 1) n += i; return n;' },
  },
  { tool: 'cite_web', what: 'a source of 1 MB, among 5,000 sources', args: { source: 1, quote: line } },
  {
    tool: 'cite_web',
    what: 'words that are not there',
    args: { source: 1, quote: 'The service keeps every recording for a hundred years' },
  },
];

/** Measures every inline tool. Throws `BenchFailed` when a tool is missing in the list. */
export async function inlineBench({ files, rounds }: { files: number; rounds: number }): Promise<readonly InlineRow[]> {
  const tools = new ToolRegistry([
    workspacePack,
    todosPack,
    memoryPack,
    discoveryPack,
    skillsPack,
    scriptsPack,
    citationsPack,
  ]);
  const inline = [workspacePack, todosPack, memoryPack, discoveryPack, skillsPack, scriptsPack, citationsPack]
    .flatMap((pack) => pack.tools)
    .filter((tool): tool is LogTool => tool.lane === 'log');
  const missing = inline.filter(({ name }) => !asks.some(({ tool }) => tool === name)).map(({ name }) => name);
  if (missing.length > 0) throw new BenchFailed(`nothing is asked of the inline tools ${missing.join(', ')}`);
  const { tree, blobs } = workspaceOf(files);
  const state = stateOf(tree);
  const specsOf = (names: readonly string[]) => tools.of(state).specsOf(names);
  const rows: InlineRow[] = [];
  for (const ask of asks) {
    const tool = inline.find(({ name }) => name === ask.tool);
    if (!tool) throw new BenchFailed(`there is no inline tool ${ask.tool}`);
    const taken: InlineRow[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const workspace = new StagedWorkspace(tree, { get: async (hash) => blobs.get(hash) });
      taken.push(
        await measure(ask, async () => {
          const input = tool.input.safeParse(ask.args);
          if (!input.success)
            throw new BenchFailed(`${ask.tool} does not take what the bench asks: ${input.error.message}`);
          const outcome = await tool.run({ state, workspace, callId: 'call_1', specsOf }, input.data);
          // As the phase runner does for a large tree.
          if (outcome.files?.length) await nextTick();
          const { facts } = workspace.stage(outcome.files ?? [], 'call_1');
          fold(state, [...facts, ...(outcome.facts ?? [])]);
        }),
      );
    }
    rows.push(taken.reduce((worst, row) => (row.heldMs > worst.heldMs ? row : worst)));
  }
  rows.push(
    await measure({ tool: '(fold)', what: 'a log of all these files', args: {} }, async () => {
      const facts = Object.entries(tree).map(([path, { hash, size }]): PhaseEvent => ({
        type: 'FileWritten',
        data: { path, hash, size },
      }));
      fold(phaseOf({}), facts);
    }),
  );
  rows.push(await documentInJson());
  return rows;
}

/** What an orchestrator does with the largest document that it takes in JSON: parses the body, checks and decodes it, each in one go. */
async function documentInJson(): Promise<InlineRow> {
  const content = Buffer.alloc(SUBMIT_LIMITS.documentBytes, 'a document ');
  const request = { agent: 'creator', documents: [{ name: 'a.bin', contentBase64: content.toString('base64') }] };
  const body = Buffer.from(JSON.stringify(request));
  return measure({ tool: '(submit)', what: 'a document of 32 MiB in JSON', args: {} }, async () => {
    const parsed: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
    await nextTick();
    const { documents = [] } = submitRequestSchema.parse(parsed);
    const [document] = documents.map(({ contentBase64 = '' }) => Buffer.from(contentBase64, 'base64'));
    if (document?.equals(content) !== true) throw new BenchFailed('the document did not come back as it was sent');
  });
}

function fold(state: PhaseState, facts: readonly PhaseEvent[]): void {
  foldPhase(facts, state);
}

async function measure({ tool, what }: Ask, run: () => Promise<void>): Promise<InlineRow> {
  let turns = 0;
  let heldMs = 0;
  let isOver = false;
  let refused: string | undefined;
  let tookMs = 0;
  await nextTick();
  const began = performance.now();
  let last = threadMs();
  const turn = (): void => {
    const now = threadMs();
    heldMs = Math.max(heldMs, now - last);
    last = now;
    turns += 1;
  };
  const watching = (async () => {
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
    await watching;
  }
  return { tool, what, heldMs, tookMs, turns, ...(refused === undefined ? {} : { refused }) };
}

function workspaceOf(count: number): { tree: Tree; blobs: Map<string, Uint8Array> } {
  const tree: Record<string, Tree[string]> = {};
  const blobs = new Map<string, Uint8Array>();
  const put = (path: string, text: string): void => {
    const bytes = new TextEncoder().encode(text);
    const hash = sha256(bytes);
    tree[path] = { hash, size: bytes.byteLength };
    blobs.set(hash, bytes);
  };
  for (let index = 0; index < count; index += 1) {
    const number = String(index).padStart(5, '0');
    put(`data/${number.slice(-2)}/${number}.txt`, `File ${number}\n${`${line}\n`.repeat(10)}`);
  }
  put(
    'large/lines.txt',
    Array.from({ length: 60_000 }, (_, index) => `line ${index} ${line}`)
      .join('\n')
      .slice(0, 4_000_000),
  );
  put('large/one-line.txt', `${'word '.repeat(200_000)}!`);
  put('large/50-mb.txt', 'word '.repeat(10_000_000));
  put('large/one-letter.txt', 'a'.repeat(4_000_000));
  put('skills/writing/SKILL.md', `# Writing\n\n${line}\n`);
  put('workspace.md', `# Workspace\n\n${`##\t${' '.repeat(400)}x${' '.repeat(400)}#\u2028y\n`.repeat(60)}`);
  const source = `<!-- source 1: https://example.org\n     retrieved 2026-01-01T00:00:00.000Z, sha256 ${'0'.repeat(64)} -->\n\n${`${line}\n\n`.repeat(13_000)}`;
  put('sources/1.md', source);
  const about = {
    file: 'sources/1.md',
    url: 'https://example.org',
    title: 'Example',
    via: 'fetch_url',
    retrievedAt: '2026-01-01T00:00:00.000Z',
    contentType: 'text/plain',
    sha256: '0'.repeat(64),
    textSha256: tree['sources/1.md']!.hash,
    textFrom: 4,
  };
  put(
    'sources/index.jsonl',
    Array.from({ length: 5_000 }, (_, index) => `${JSON.stringify({ n: index + 1, ...about })}\n`).join(''),
  );
  return { tree, blobs };
}

function stateOf(tree: Tree): PhaseState {
  return phaseOf({
    tree: { ...tree },
    todos: Array.from({ length: 20 }, (_, index) => ({
      id: index + 1,
      content: `Do part ${index + 1}`,
      status: 'open' as const,
    })),
    skills: [{ name: 'writing', description: 'How to write.' }],
    onDemand: ['read_file', 'write_file', 'search_files', 'list_files', 'cite_web', 'add_note'],
    rewind: { outcome: 'rewound', gates: [] },
  });
}
