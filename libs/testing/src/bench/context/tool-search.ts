import { buildPrompt } from '@phaseline/context';
import { SEARCH_TOOLS, toolsInPrompt, type PhaseState, type ToolDefinition } from '@phaseline/domain';
import { discoveryPack, ToolIndex, ToolRegistry } from '@phaseline/tools';
import { count, percent, type ContextSection, type ContextTable } from './context-section.js';
import {
  installServers,
  labelledRequests,
  listServerTools,
  ServersMissing,
  type LabelledRequest,
} from './measured-servers.js';
import { phaseOf } from './phase-of.js';

/** How often a right tool was the first, and how often it was among the first five. */
export interface Hits {
  readonly requests: number;
  readonly first: number;
  readonly firstFive: number;
}

export function hitsOf(index: ToolIndex, requests: readonly LabelledRequest[]): Hits {
  const places = requests.map(({ request, right }) =>
    index.search(request, 5).findIndex(({ tool }) => right.includes(tool.name)),
  );
  return {
    requests: requests.length,
    first: places.filter((place) => place === 0).length,
    firstFive: places.filter((place) => place >= 0).length,
  };
}

/** Tokens that tools take in every prompt: all of them there, and on demand after one search, on average and at most. */
export interface ToolTokens {
  readonly all: number;
  readonly afterSearch: number;
  readonly atMost: number;
}

/** What counts as tools on demand: the search itself, the names in the system prompt, what was loaded, and what the search said. */
export async function toolTokensOf(
  tools: readonly ToolDefinition[],
  requests: readonly LabelledRequest[],
): Promise<ToolTokens> {
  const search = new ToolRegistry([discoveryPack]).find(SEARCH_TOOLS)!.definition;
  const tool = discoveryPack.tools.find(({ name }) => name === SEARCH_TOOLS);
  const byName = new Map([...tools, search].map((one) => [one.name, one]));
  const ledgerOf = (state: PhaseState) =>
    buildPrompt({
      state,
      tools: toolsInPrompt(state).map((name) => byName.get(name)!),
      workspaceMemory: undefined,
      maxOutputTokens: 1_000,
    }).ledger;
  const names = tools.map(({ name }) => name);
  const bare = ledgerOf(phaseOf({ tools: [] }));
  const all = ledgerOf(phaseOf({ tools: names }));
  const hidden = phaseOf({ tools: [...names, SEARCH_TOOLS], onDemand: names });
  const taken: number[] = [];
  for (const { request } of requests) {
    if (tool?.lane !== 'log') throw new Error('the search is a log tool');
    const workspace = { read: async () => undefined, list: () => [], tree: {} } as never;
    const specsOf = (wanted: readonly string[]) => wanted.map((name) => ({ definition: byName.get(name)! }) as never);
    const { facts = [], content } = await tool.run(
      { state: hidden, workspace, callId: 'call_1_1_1', specsOf },
      tool.input.parse({ query: request }),
    );
    const loaded = facts.flatMap((fact) => (fact.type === 'ToolsLoaded' ? fact.data.names : []));
    const said = buildPrompt({
      state: { ...hidden, loaded, transcript: [{ kind: 'notice', text: content }] },
      tools: toolsInPrompt({ ...hidden, loaded }).map((name) => byName.get(name)!),
      workspaceMemory: undefined,
      maxOutputTokens: 1_000,
    }).ledger;
    taken.push(said.total - bare.total);
  }
  return {
    all: all.total - bare.total,
    afterSearch: taken.reduce((sum, one) => sum + one, 0) / taken.length,
    atMost: Math.max(...taken),
  };
}

/*
 * The search for tools, on the tools of published MCP servers: which share of the tokens of tools is saved after one search, and
 * how often the right tool is among the first five. Requests are in everyday words; those held out were only ever counted.
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
    const index = new ToolIndex(tools);
    const heldOut = await labelledRequests('held-out');
    const dev = await labelledRequests('dev');
    const tokens = await toolTokensOf(tools, heldOut);
    return [
      hitsTable(tools.length, [
        ['held out', hitsOf(index, heldOut)],
        ['tuned on', hitsOf(index, dev)],
      ]),
      tokensTable(tokens),
    ];
  },
};

function hitsTable(tools: number, sets: readonly (readonly [string, Hits])[]): ContextTable {
  return {
    title: `Tool search over ${tools} tools of MCP servers`,
    head: ['requests', 'number', 'right tool first', 'right tool among the first five'],
    rows: sets.map(([name, { requests, first, firstFive }]) => [
      name,
      count(requests),
      percent(first / requests),
      percent(firstFive / requests),
    ]),
  };
}

function tokensTable({ all, afterSearch, atMost }: ToolTokens): ContextTable {
  return {
    title: 'Tokens that tools take in every call',
    head: ['', 'tokens', 'saved'],
    rows: [
      ['all in the prompt', count(all), ''],
      ['on demand, after one search (mean)', count(afterSearch), percent(1 - afterSearch / all)],
      ['on demand, after one search (most)', count(atMost), percent(1 - atMost / all)],
    ],
    notes: [
      'On demand counts the search, the list of names, the tools that were loaded, and the answer of the search.',
    ],
  };
}
