import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { readYaml } from '../yaml/parse-yaml.js';
import { agentJsonSchema } from './agent-json-schema.js';

const root = fileURLToPath(new URL('../../../../', import.meta.url));
// Without what the reader of schemas that this spec has cannot keep apart from the rest.
const { anyOf, ...shape } = agentJsonSchema();
const schema = z.fromJSONSchema(shape as Parameters<typeof z.fromJSONSchema>[0]);
const accepts = (value: unknown): boolean => schema.safeParse(value).success;

describe('the JSON Schema of agents', () => {
  it('is published as it is made', async () => {
    // To bring it up to date: npx vitest run libs/definitions/src/agent -u
    await expect(`${JSON.stringify(agentJsonSchema(), null, 2)}\n`).toMatchFileSnapshot(
      `${root}docs/agent.schema.json`,
    );
  });

  it('takes the agents that ship, which name it', () => {
    for (const name of readdirSync(`${root}agents`)) {
      const text = readFileSync(`${root}agents/${name}/agent.yaml`, 'utf8');
      expect(text.split('\n')[0]).toBe('# yaml-language-server: $schema=../../docs/agent.schema.json');
      expect([name, schema.safeParse(readYaml(text, name).value).error]).toEqual([name, undefined]);
    }
  });

  it('knows what lies below may say the rest, and refuses what no definition may hold', () => {
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
