import { describe, expect, it } from 'vitest';
import { ToolIndex } from './rank-tools.js';
import { extractSearchWords } from './extract-search-words.js';

const tool = (name: string, description = '', properties: object = {}) => ({
  name,
  description,
  parameters: { type: 'object', properties } as never,
});
const findBest = (tools: ReturnType<typeof tool>[], request: string): string | undefined =>
  new ToolIndex(tools).search(request, 1)[0]?.tool.name;

describe('wordsOf', () => {
  it('splits at case changes, underscores and punctuation, and removes endings and stop words', () => {
    expect(extractSearchWords('mcp__hub__listOpenIssues')).toEqual(['mcp', 'hub', 'list', 'open', 'issu']);
    expect(extractSearchWords('Lists the HTMLPages of an issue')).toEqual(['list', 'html', 'pag', 'issu']);
    expect(extractSearchWords('copies, copying and copied')).toEqual(['copy', 'copy', 'copi']);
    expect(extractSearchWords("Größe von Anna's Datei")).toEqual(['größ', 'von', 'anna', 'datei']);
  });
});

describe('ToolIndex', () => {
  const parcel = tool('ship_parcel', 'Hands a parcel to the carrier.', {
    weight: { type: 'number', description: 'How heavy it is, in kilograms.' },
  });
  const letter = tool('print_letter', 'Prints a letter. It can be sent by parcel too.');
  const order = tool('cancel_order', 'Cancels an order of a customer.');
  const tools = [order, letter, parcel];

  it('ranks a word in the name above one in the description', () => {
    expect(findBest(tools, 'parcel')).toBe('ship_parcel');
  });

  it('finds a tool by the names and descriptions of its parameters', () => {
    expect(findBest(tools, 'weight')).toBe('ship_parcel');
    expect(findBest(tools, 'kilograms')).toBe('ship_parcel');
  });

  it('finds synonyms, ranked below the words themselves', () => {
    expect(findBest([tool('remove_item'), tool('wrap_item')], 'erase something')).toBe('remove_item');
    expect(findBest([tool('remove_item'), tool('erase_item')], 'erase something')).toBe('erase_item');
    expect(findBest([tool('get_time'), tool('sum_numbers')], 'add up 3 and 4')).toBe('sum_numbers');
  });

  it('returns nothing for a request without a word in common, for an empty request, and without tools', () => {
    const index = new ToolIndex(tools);
    expect(index.search('zebra', 5)).toEqual([]);
    expect(index.search('', 5)).toEqual([]);
    expect(index.search('?!'.repeat(10_000), 5)).toEqual([]);
    expect(new ToolIndex([]).search('parcel', 5)).toEqual([]);
  });

  it('keeps the given order of equally ranked tools, and respects the limit', () => {
    const equal = ['a_report', 'b_report', 'c_report'].map((name) => tool(name, 'Writes a report.'));
    const found = new ToolIndex(equal).search('report', 2).map((one) => one.tool.name);
    expect(found).toEqual(['a_report', 'b_report']);
  });

  it('accepts schemas of any depth and shape', () => {
    let schema: object = { description: 'plutonium' };
    for (let depth = 0; depth < 200; depth += 1) schema = { type: 'object', properties: { inner: schema } };
    const deep = { name: 'deep_tool', description: 'x', parameters: schema as never };
    expect(new ToolIndex([deep]).search('inner', 1)).toHaveLength(1);
    expect(findBest([tool('list_of', '', { a: { anyOf: [{ description: 'gadget' }] } })], 'gadget')).toBe('list_of');
  });
});
