import { describe, expect, it } from 'vitest';
import { renderToolIndex } from './tool-index-part.js';

const part = (onDemand: readonly string[]) => renderToolIndex({ start: { terms: { onDemand } } } as never);

describe('renderToolIndex', () => {
  it('is empty without tools on demand', () => {
    expect(part([])).toEqual([]);
  });

  it('lists the tools in one line per server, with their number', () => {
    expect(part(['cancel_order', 'mcp__hub__get_issue', 'ship_parcel', 'mcp__hub__list_issues']).slice(3)).toEqual([
      '- cancel_order, ship_parcel',
      '- mcp__hub__ (2): get_issue, list_issues',
    ]);
  });

  it('shows number and topics of tools whose names do not fit', () => {
    const many = Array.from({ length: 500 }, (_, index) => `mcp__big__weigh_parcel_${index}`);
    const lines = part([...many, 'mcp__hub__get_issue', 'mcp__hub__list_issues']).slice(3);
    expect(lines).toHaveLength(2);
    expect(lines[0]).toMatch(/^- mcp__big__ \(500\): weigh_parcel_0, .*, and \d+ more about weigh, parcel$/);
    expect(lines[1]).toBe('- mcp__hub__ (2): 2 more about issue, get, list');
    expect(lines.join('\n').length).toBeLessThan(6_200);
  });
});
