import type { ToolDefinition } from '@phaseline/contracts';
import { describe, expect, it } from 'vitest';
import { discoverySpec } from '@phaseline/pack-specs';
import { searchTools } from './search-tools.js';

const HUB = ['mcp__hub__list_issues', 'mcp__hub__get_issue', 'mcp__hub__merge_branch'];
const WIKI = ['mcp__wiki__get_page', 'mcp__wiki__list_pages'];

async function search(onDemand: readonly string[], input: object, loaded: readonly string[] = []) {
  const specsOf = (names: readonly string[]) =>
    names.map((name) => ({
      definition: { name, description: '', parameters: { type: 'object' } } satisfies ToolDefinition,
    }));
  const context = {
    state: { start: { terms: { onDemand } }, conversation: { loadedTools: loaded } },
    callId: 'call_1_1_1',
    specsOf,
  };
  const { content, events = [] } = await searchTools(
    context as never,
    discoverySpec.byName.search_tools.input.parse(input),
  );
  return {
    lines: content.split('\n'),
    loaded: events.flatMap((fact) => (fact.type === 'ToolsLoaded' ? fact.data.names : [])),
  };
}

describe('search_tools', () => {
  it('lists the categories with the number and topics of their tools, whether or not it found a tool', async () => {
    const listed =
      'Categories with their number of tools: hub (3, issues, merge, branch, list); wiki (2, page, get, list)';
    const found = await search([...HUB, ...WIKI], { query: 'merge' });
    expect(found.loaded).toEqual(['mcp__hub__merge_branch']);
    expect(found.lines.at(-1)).toBe(listed);
    const nothing = await search([...HUB, ...WIKI], { query: 'zebra' });
    expect(nothing.loaded).toEqual([]);
    expect(nothing.lines.at(-1)).toBe(listed);
  });

  it('searches only the requested category, and names its other tools', async () => {
    for (const category of ['wiki', 'Wiki ', 'mcp__wiki__', 'mcp__wiki']) {
      const { lines, loaded } = await search([...HUB, ...WIKI], { query: 'list', category, limit: 5 });
      expect(loaded).toEqual(['mcp__wiki__list_pages']);
      expect(lines.at(-1)).toBe('Other tools of wiki: get_page');
    }
    const { lines, loaded } = await search([...HUB, ...WIKI], { query: 'zebra', category: 'hub' });
    expect(loaded).toEqual([]);
    expect(lines.at(-1)).toBe('Other tools of hub: list_issues, get_issue, merge_branch');
  });

  it('searches everything for a category that does not exist, and says so', async () => {
    const { lines, loaded } = await search([...HUB, ...WIKI], { query: 'merge', category: 'mail' });
    expect(lines[0]).toBe('The category does not exist, so all categories were searched.');
    expect(loaded).toEqual(['mcp__hub__merge_branch']);
  });

  it('does not list a single category, and names its tools when none matches', async () => {
    expect((await search(WIKI, { query: 'list' })).lines).toHaveLength(2);
    expect((await search(WIKI, { query: 'zebra' })).lines.at(-1)).toBe('Other tools of wiki: get_page, list_pages');
    expect((await search([], { query: 'list' })).lines).toHaveLength(1);
  });

  it('puts tools that belong to no server into their own category', async () => {
    const { loaded } = await search(['list_orders', ...WIKI], { query: 'list', category: 'own_tools' });
    expect(loaded).toEqual(['list_orders']);
  });

  it('bounds its lists, for a hundred servers and for a thousand tools', async () => {
    const servers = Array.from({ length: 100 }, (_, index) => `mcp__s${index}__send_letter_abroad_today`);
    const { lines } = await search(servers, { query: 'zebra' });
    expect(lines.at(-1)).toMatch(/; and 60 more$/);
    expect(lines.at(-1)!.length).toBeLessThan(3_000);
    const tools = Array.from({ length: 1_000 }, (_, index) => `mcp__wiki__page_${index}`);
    const narrowed = await search(tools, { query: 'zebra' });
    expect(narrowed.lines.at(-1)).toMatch(/, and \d+ more$/);
    expect(narrowed.lines.at(-1)!.length).toBeLessThan(2_100);
  });
});
