import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { readYaml } from '../yaml/parse-yaml.js';
import { generateAgentJsonSchema } from './agent-json-schema.js';

const root = fileURLToPath(new URL('../../../../', import.meta.url));
// `z.fromJSONSchema` cannot combine `anyOf` with the other keywords.
const { anyOf, ...shape } = generateAgentJsonSchema();
const schema = z.fromJSONSchema(shape as Parameters<typeof z.fromJSONSchema>[0]);
const accepts = (value: unknown): boolean => schema.safeParse(value).success;

describe('the JSON Schema of agents', () => {
  it('matches docs/reference/agent.schema.json', async () => {
    // To update it: npx vitest run libs/definitions/src/agent -u
    await expect(`${JSON.stringify(generateAgentJsonSchema(), null, 2)}\n`).toMatchFileSnapshot(
      `${root}docs/reference/agent.schema.json`,
    );
  });

  it('accepts the shipped agents, which refer to it', () => {
    for (const name of readdirSync(`${root}agents`)) {
      const text = readFileSync(`${root}agents/${name}/agent.yaml`, 'utf8');
      expect(text.split('\n')[0]).toBe('# yaml-language-server: $schema=../../docs/reference/agent.schema.json');
      expect([name, schema.safeParse(readYaml(text, name).value).error]).toEqual([name, undefined]);
    }
  });

  it('lets an extended definition supply required keys, and rejects invalid ones', () => {
    expect(accepts({ name: 'a', displayName: 'A', tools: {} })).toBe(true);
    expect(accepts({ name: 'a', extends: 'b', tools: { 'domain+': ['x'] }, 'deliverables+': ['o'] })).toBe(true);
    expect(accepts({ name: 'a', $extends: './b.json', $schema: 's' })).toBe(true);
    expect(anyOf).toContainEqual({ required: ['name', 'displayName', 'tools'] });
    expect(accepts({ extends: 'b' })).toBe(false);
    expect(accepts({ name: 'a', extends: 'b', tols: {} })).toBe(false);
    expect(accepts({ name: 'a', extends: 'b', tools: { 'domain+': 'x' } })).toBe(false);
    expect(accepts({ name: 'a', extends: 'b', limits: { steps: 'many' } })).toBe(false);
  });
});
