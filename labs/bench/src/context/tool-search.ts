import { buildPrompt } from '@phaseline/context';
import { SEARCH_TOOLS, groupTools, listToolsInPrompt, type PhaseState } from '@phaseline/domain';
import { type ToolDefinition } from '@phaseline/contracts';
import {
  discoveryPack,
  parseWithoutSynonyms,
  parseWithSynonyms,
  ToolIndex,
  type RequestParser,
} from '@phaseline/inline-packs';
import { ToolRegistry } from '@phaseline/tools';
import { formatCount, formatPercent, type ContextSection, type ContextTable } from './context-section.js';
import {
  installServers,
  readLabelledRequests,
  listServerTools,
  ServersMissing,
  type LabelledRequest,
  type RequestSet,
} from './measured-servers.js';
import { createPhase } from './create-phase.js';
import { signTest } from './sign-test.js';

/** How often a right tool was first, and how often it was among the first five. */
export interface Hits {
  readonly requests: number;
  readonly first: number;
  readonly firstFive: number;
}

/** Returns per request the zero-based rank of the first right tool among the first five, or -1. */
function ranksOf(index: ToolIndex, requests: readonly LabelledRequest[]): readonly number[] {
  return requests.map(({ request, right }) =>
    index.search(request, 5).findIndex(({ tool }) => right.includes(tool.name)),
  );
}

export function countHits(index: ToolIndex, requests: readonly LabelledRequest[]): Hits {
  const places = ranksOf(index, requests);
  return {
    requests: requests.length,
    first: places.filter((place) => place === 0).length,
    firstFive: places.filter((place) => place >= 0).length,
  };
}

/** Difference between the results of two ways to read the same requests. */
export interface Gain {
  /** Requests whose right tool is among the first five only with the change. */
  readonly gained: number;
  readonly lost: number;
  /** Probability of a difference at least as large by chance (exact two-sided McNemar test). */
  readonly chance: number;
}

export function compareIndexes(without: ToolIndex, withIt: ToolIndex, requests: readonly LabelledRequest[]): Gain {
  const before = ranksOf(without, requests);
  const after = ranksOf(withIt, requests);
  const gained = before.filter((place, index) => place < 0 && after[index]! >= 0).length;
  const lost = before.filter((place, index) => place >= 0 && after[index]! < 0).length;
  return { gained, lost, chance: signTest(gained, lost) };
}

/** Runs the search tool with every tool on demand; returns the tools that it loads and its result. */
async function search(
  tools: readonly ToolDefinition[],
  input: { readonly query: string; readonly category?: string },
): Promise<{ readonly loaded: readonly string[]; readonly content: string }> {
  const tool = discoveryPack.tools.find(({ name }) => name === SEARCH_TOOLS);
  if (tool?.lane !== 'inline') throw new Error('the search tool must be an inline tool');
  const byName = new Map(tools.map((one) => [one.name, one]));
  // The tool reads only these members of the workspace and of the tool specs.
  const workspace = { read: async () => undefined, list: () => [], tree: {} } as never;
  const specsOf = (wanted: readonly string[]) => wanted.map((name) => ({ definition: byName.get(name)! }) as never);
  const state = hiddenState(tools);
  const result = await tool.run(
    { state, workspace, callId: 'call_1_1_1', now: new Date(0), specsOf },
    tool.input.parse(input),
  );
  const facts = result.events ?? [];
  return {
    loaded: facts.flatMap((fact) => (fact.type === 'ToolsLoaded' ? fact.data.names : [])),
    content: result.content,
  };
}

function hiddenState(tools: readonly ToolDefinition[]): PhaseState {
  const names = tools.map(({ name }) => name);
  return createPhase({ terms: { tools: [...names, SEARCH_TOOLS], onDemand: names } });
}

/** Number of requests whose right tool the first search missed, and how many of them a second search in its category finds. */
export interface Narrowed {
  readonly missed: number;
  readonly foundInCategory: number;
}

/** Measures the maximum benefit of categories: the second search uses the right category, which a model has to choose itself. */
export async function measureNarrowing(
  tools: readonly ToolDefinition[],
  requests: readonly LabelledRequest[],
): Promise<Narrowed> {
  const categories = groupTools(tools.map(({ name }) => name));
  let missed = 0;
  let foundInCategory = 0;
  for (const { request: query, right } of requests) {
    const first = await search(tools, { query });
    if (first.loaded.some((name) => right.includes(name))) continue;
    missed += 1;
    const category = categories.find((one) => one.tools.some(({ name }) => right.includes(name)))!.name;
    const second = await search(tools, { query, category });
    if (second.loaded.some((name) => right.includes(name))) foundInCategory += 1;
  }
  return { missed, foundInCategory };
}

/** Tokens of the tools per prompt: with all tools, and on demand after one search (mean and maximum). */
export interface ToolTokens {
  readonly all: number;
  readonly afterSearch: number;
  readonly atMost: number;
}

/** Measures tool tokens. On demand counts the search tool, the names in the system prompt, the loaded tools and the search result. */
export async function measureToolTokens(
  tools: readonly ToolDefinition[],
  requests: readonly LabelledRequest[],
): Promise<ToolTokens> {
  const definition = new ToolRegistry([discoveryPack]).find(SEARCH_TOOLS)!.definition;
  const byName = new Map([...tools, definition].map((one) => [one.name, one]));
  const totalOf = (state: PhaseState) =>
    buildPrompt({
      state,
      tools: listToolsInPrompt(state).map((name) => byName.get(name)!),
      workspaceMemory: undefined,
      maxOutputTokens: 1_000,
    }).ledger.total;
  const bare = totalOf(createPhase({ terms: { tools: [] } }));
  const totals: number[] = [];
  for (const { request } of requests) {
    const { loaded, content } = await search(tools, { query: request });
    const conversation = {
      transcript: [{ kind: 'notice', text: content } as const],
      pendingNotices: [],
      loadedTools: loaded,
    };
    totals.push(totalOf({ ...hiddenState(tools), conversation }) - bare);
  }
  return {
    all: totalOf(createPhase({ terms: { tools: tools.map(({ name }) => name) } })) - bare,
    afterSearch: totals.reduce((sum, one) => sum + one, 0) / totals.length,
    atMost: Math.max(...totals),
  };
}

/** Sets of requests with their names in the report. The search was tuned on the last one. */
const SETS: readonly (readonly [string, RequestSet])[] = [
  ['by a model', 'by-model'],
  ['by people, held out', 'held-out'],
  ['by people, used for tuning', 'dev'],
];
/** Ways to read a request, each with one more handwritten list than the previous one. */
const READINGS: readonly (readonly [string, RequestParser])[] = [
  ['its words', parseWithoutSynonyms],
  ['with synonyms', parseWithSynonyms],
];

type NamedRequests = readonly (readonly [string, readonly LabelledRequest[]])[];

/**
 * Measures the search for tools on published MCP servers: how often the right tool is among the first five, what the handwritten list
 * contributes, and which share of the tool tokens is saved after one search.
 */
export const toolSearchSection: ContextSection = {
  name: 'tool search',
  run: async () => {
    try {
      await installServers((what) => process.stderr.write(`${what} …\n`));
    } catch (error) {
      if (!(error instanceof ServersMissing)) throw error;
      return [{ title: 'Tool search', head: ['not measured'], rows: [[error.message]] }];
    }
    const tools = await listServerTools();
    const sets = await Promise.all(SETS.map(async ([name, set]) => [name, await readLabelledRequests(set)] as const));
    return [
      hitsTable(tools, sets),
      gainTable(tools, sets),
      await narrowedTable(tools, sets),
      await tokensTable(tools, sets),
    ];
  },
};

function hitsTable(tools: readonly ToolDefinition[], sets: NamedRequests): ContextTable {
  return {
    title: `Tool search over ${tools.length} tools of MCP servers`,
    head: ['requests', 'number', 'searched for', 'right tool first', 'right tool among the first five'],
    rows: sets.flatMap(([name, requests]) =>
      READINGS.map(([reading, read]) => {
        const { first, firstFive } = countHits(new ToolIndex(tools, read), requests);
        return [name, formatCount(requests.length), reading, formatCount(first), formatCount(firstFive)];
      }),
    ),
  };
}

function gainTable(tools: readonly ToolDefinition[], sets: NamedRequests): ContextTable {
  return {
    title: 'Effect of each list on the first five results',
    head: ['requests', 'searched for', 'gained', 'lost', 'p'],
    rows: sets.flatMap(([name, requests]) =>
      READINGS.slice(1).map(([reading, read], index) => {
        const before = new ToolIndex(tools, READINGS[index]![1]);
        const { gained, lost, chance } = compareIndexes(before, new ToolIndex(tools, read), requests);
        return [name, reading, formatCount(gained), formatCount(lost), chance.toFixed(3)];
      }),
    ),
  };
}

async function narrowedTable(tools: readonly ToolDefinition[], sets: NamedRequests): Promise<ContextTable> {
  const rows: string[][] = [];
  for (const [name, requests] of sets) {
    const { missed, foundInCategory } = await measureNarrowing(tools, requests);
    rows.push([name, formatCount(missed), formatCount(foundInCategory)]);
  }
  return {
    title: 'Requests whose right tool is not among the first five',
    head: ['requests', 'number', 'found by a second search in the right category'],
    rows,
  };
}

async function tokensTable(tools: readonly ToolDefinition[], sets: NamedRequests): Promise<ContextTable> {
  const rows: string[][] = [];
  for (const [name, requests] of sets) {
    const { all, afterSearch, atMost } = await measureToolTokens(tools, requests);
    if (rows.length === 0) rows.push(['all in the prompt', formatCount(all), '']);
    rows.push(
      [
        `on demand, after one search, requests ${name} (mean)`,
        formatCount(afterSearch),
        formatPercent(1 - afterSearch / all),
      ],
      [`on demand, after one search, requests ${name} (maximum)`, formatCount(atMost), formatPercent(1 - atMost / all)],
    );
  }
  return {
    title: 'Tokens of the tools per model call',
    head: ['', 'tokens', 'saved'],
    rows,
    notes: ['On demand counts the search tool, the list of names, the loaded tools and the search result.'],
  };
}
