import { toolTraits, type ToolDeclaration, type ToolTraits } from '@phaseline/contracts';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { isMcpName } from './mcp.js';
import { packSpecs } from './pack-specs.js';

const tools: readonly ToolDeclaration[] = packSpecs.flatMap((pack) => pack.tools);

describe('the shipped packs', () => {
  it('have unique names, and so have their tools, none of which could be a tool of an MCP server', () => {
    const names = tools.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(new Set(packSpecs.map(({ name }) => name)).size).toBe(packSpecs.length);
    for (const name of names) expect(name).toMatch(/^[a-z][a-z0-9_]{0,63}$/);
    expect(names.filter(isMcpName)).toEqual([]);
  });

  it.each(tools.map((tool) => [tool.name, tool] as const))('declare an object as the input of %s', (_, tool) => {
    const schema = z.toJSONSchema(tool.input, { io: 'input' });
    expect(schema).toMatchObject({ type: 'object', properties: expect.any(Object) as unknown });
    // This text is sent to models: a value that JSON cannot express would be lost.
    expect(JSON.parse(JSON.stringify(schema))).toEqual(schema);
    expect(Object.keys(schema.properties!)).toEqual(expect.arrayContaining(schema.required ?? []));
    expect(tool.description).toMatch(/^[A-Z].*[.!)]$/s);
  });

  it.each(tools.map((tool) => [tool.name, tool] as const))('declare consistent traits of %s', (_, tool) => {
    const traits: ToolTraits = tool.traits ?? [];
    expect(new Set(traits).size).toBe(traits.length);
    expect(toolTraits).toEqual(expect.arrayContaining([...traits]));
    expect(traits.includes('strategic_only') && traits.includes('tactical_only')).toBe(false);
    if (tool.lane === 'remote') {
      expect(tool.timeoutMs).toBeGreaterThan(0);
      // Both change the state of the phase, which only inline tools do.
      expect(traits).not.toContain('claims_completion');
      expect(traits).not.toContain('changes_todos');
    }
    // A script would claim completion before its own call has ended.
    if (traits.includes('claims_completion')) expect(traits).toContain('not_nestable');
  });

  it('offer a phase that plans nothing of the work itself but what its plan depends on', () => {
    // These packs let an agent plan, ask, remember and manage its files; all others do the work itself.
    const forEveryPhase = [
      ...['checks', 'delegation', 'discovery', 'features', 'guards', 'learning', 'mcp'],
      ...['memory', 'people', 'plan-run', 'planning', 'scheduling', 'scripts', 'skills', 'todos', 'workspace'],
    ];
    const domain = packSpecs.filter(({ name }) => !forEveryPhase.includes(name));
    const exceptions = domain
      .flatMap((pack) => pack.tools)
      .filter(({ traits = [] }) => !traits.includes('tactical_only'));
    expect(exceptions.map(({ name, lane }) => `${name} ${lane}`)).toEqual([
      'list_cached_requirements remote',
      'get_database_schema remote',
      'count_graph_statistics remote',
    ]);
    expect(domain.length).toBeGreaterThan(7);
  });
});
