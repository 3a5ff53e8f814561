import { buildPrompt } from '@phaseline/context';
import { SEARCH_TOOLS, toolsInPrompt, type PhaseState, type ToolDefinition } from '@phaseline/domain';
import {
  everydayWords,
  plainWords,
  requestWords,
  searchToolsBy,
  ToolIndex,
  ToolRegistry,
  type ReadRequest,
} from '@phaseline/tools';
import { count, percent, type ContextSection, type ContextTable } from './context-section.js';
import {
  installServers,
  labelledRequests,
  listServerTools,
  ServersMissing,
  type LabelledRequest,
  type RequestSet,
} from './measured-servers.js';
import { phaseOf } from './phase-of.js';
import { signTest } from './sign-test.js';

/** How often a right tool was the first, and how often it was among the first five. */
export interface Hits {
  readonly requests: number;
  readonly first: number;
  readonly firstFive: number;
}

/** For each request, the place of the first right tool among the first five, from 0, or -1. */
function placesOf(index: ToolIndex, requests: readonly LabelledRequest[]): readonly number[] {
  return requests.map(({ request, right }) =>
    index.search(request, 5).findIndex(({ tool }) => right.includes(tool.name)),
  );
}

export function hitsOf(index: ToolIndex, requests: readonly LabelledRequest[]): Hits {
  const places = placesOf(index, requests);
  return {
    requests: requests.length,
    first: places.filter((place) => place === 0).length,
    firstFive: places.filter((place) => place >= 0).length,
  };
}

/** What a way to read requests changes for the same requests. */
export interface Gain {
  /** Requests whose right tool is among the first five with it and not without it. */
  readonly gained: number;
  readonly lost: number;
  /** How likely a difference at least as large is by chance (exact McNemar test, two-sided). */
  readonly chance: number;
}

export function gainOf(without: ToolIndex, withIt: ToolIndex, requests: readonly LabelledRequest[]): Gain {
  const before = placesOf(without, requests);
  const after = placesOf(withIt, requests);
  const gained = before.filter((place, index) => place < 0 && after[index]! >= 0).length;
  const lost = before.filter((place, index) => place >= 0 && after[index]! < 0).length;
  return { gained, lost, chance: signTest(gained, lost) };
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
  read?: ReadRequest,
): Promise<ToolTokens> {
  const tool = searchToolsBy(read);
  const search = new ToolRegistry([{ name: 'discovery', tools: [tool] }]).find(SEARCH_TOOLS)!.definition;
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
    if (tool.lane !== 'log') throw new Error('the search is a log tool');
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
 * how often the right tool is among the first five. Those of a model and those held out were only ever counted.
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
    const sets = await Promise.all(SETS.map(async ([name, set]) => [name, await labelledRequests(set)] as const));
    const counted = await Promise.all(
      sets.slice(0, 2).map(async ([name, requests]) => {
        const tokens = READINGS.map(async ([reading, read]) => [reading, await toolTokensOf(tools, requests, read)]);
        return [name, (await Promise.all(tokens)) as [string, ToolTokens][]] as const;
      }),
    );
    return [hitsTable(tools, sets), gainTable(tools, sets), ...counted.map(([name, rows]) => tokensTable(name, rows))];
  },
};

const SETS: readonly (readonly [string, RequestSet])[] = [
  ['of a model', 'by-model'],
  ['held out', 'held-out'],
  ['tuned on', 'dev'],
];
/** Ways to read a request, each with more lists written by hand than the one before it. */
const READINGS: readonly (readonly [string, ReadRequest])[] = [
  ['its words', plainWords],
  ['with words that mean the same', requestWords],
  ['with everyday words too', everydayWords],
];

type NamedRequests = readonly (readonly [string, readonly LabelledRequest[]])[];

function hitsTable(tools: readonly ToolDefinition[], sets: NamedRequests): ContextTable {
  return {
    title: `Tool search over ${tools.length} tools of MCP servers`,
    head: ['requests', 'number', 'searched for', 'right tool first', 'right tool among the first five'],
    rows: sets.flatMap(([name, requests]) =>
      READINGS.map(([reading, read]) => {
        const { first, firstFive } = hitsOf(new ToolIndex(tools, read), requests);
        return [name, count(requests.length), reading, count(first), count(firstFive)];
      }),
    ),
  };
}

function gainTable(tools: readonly ToolDefinition[], sets: NamedRequests): ContextTable {
  return {
    title: 'What each list adds to the first five, request by request',
    head: ['requests', 'searched for', 'gained', 'lost', 'by chance'],
    rows: sets.flatMap(([name, requests]) =>
      READINGS.slice(1).map(([reading, read], index) => {
        const before = new ToolIndex(tools, READINGS[index]![1]);
        const { gained, lost, chance } = gainOf(before, new ToolIndex(tools, read), requests);
        return [name, reading, count(gained), count(lost), chance.toFixed(3)];
      }),
    ),
  };
}

function tokensTable(name: string, rows: readonly (readonly [string, ToolTokens])[]): ContextTable {
  const all = rows[0]![1].all;
  return {
    title: `Tokens that tools take in every call, requests ${name}`,
    head: ['', 'tokens', 'saved'],
    rows: [
      ['all in the prompt', count(all), ''],
      ...rows.flatMap(([reading, { afterSearch, atMost }]) => [
        [`after one search, ${reading} (mean)`, count(afterSearch), percent(1 - afterSearch / all)],
        [`after one search, ${reading} (most)`, count(atMost), percent(1 - atMost / all)],
      ]),
    ],
    notes: [
      'On demand counts the search, the list of names, the tools that were loaded, and the answer of the search.',
    ],
  };
}
