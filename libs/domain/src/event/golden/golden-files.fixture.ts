import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { z } from 'zod';
import { jobEventDefinitions } from '../../job/job-events.js';
import { phaseEventDefinitions } from '../../phase/phase-events.js';
import type { EventDefinition } from '../define-event.js';
import { exampleOf, variantsOf, type JsonSchema } from './example-of.fixture.js';

/** A version of an event as it was when it was first written: its shape, and data in it. */
export interface GoldenFile {
  readonly type: string;
  readonly version: number;
  readonly shape: JsonSchema;
  readonly examples: readonly unknown[];
}

const folder = new URL('./', import.meta.url);
const fileName = /^(\w+)\.v(\d+)\.json$/;

export const allDefinitions: readonly EventDefinition[] = [...jobEventDefinitions, ...phaseEventDefinitions];

export function goldenFile(type: string, version: number): GoldenFile | undefined {
  const file = new URL(`${type}.v${version}.json`, folder);
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as GoldenFile) : undefined;
}

export function allGoldenFiles(): readonly GoldenFile[] {
  return readdirSync(folder)
    .map((name) => fileName.exec(name))
    .flatMap((match) => (match ? [goldenFile(match[1]!, Number(match[2]))!] : []));
}

/** Writes the file of a version that has none. One that is there is never written again: logs of that shape exist. */
export function recordGolden(definition: EventDefinition): void {
  const file = new URL(`${definition.type}.v${definition.version}.json`, folder);
  if (!existsSync(file)) writeFileSync(file, `${JSON.stringify(goldenOf(definition), null, 2)}\n`);
}

/** The shape of what is stored; words that explain it are not part of it. */
export function shapeOf(definition: EventDefinition): JsonSchema {
  const schema = z.toJSONSchema(definition.data, { unrepresentable: 'any', io: 'input', reused: 'inline' });
  return withoutWords(schema) as JsonSchema;
}

/** Full and least, for every way a choice can go; those alone that the schema takes, as it may ask more than its shape. */
function goldenOf(definition: EventDefinition): GoldenFile {
  const shape = shapeOf(definition);
  const made = Array.from({ length: variantsOf(shape) }, (_, variant) => [
    exampleOf(shape, variant, false),
    exampleOf(shape, variant, true),
  ])
    .flat()
    .map((example) => ({ ...(example as object), ...definitionsIn(example as object) }));
  const distinct = [...new Map(made.map((example) => [JSON.stringify(example), example])).values()];
  const examples = distinct.filter((example) => definition.data.safeParse(example).success);
  return { type: definition.type, version: definition.version, shape, examples };
}

/** A workflow must hang together, which no generator knows of; so every example has this one. */
function definitionsIn(example: object): object {
  if (!('workflow' in example)) return {};
  const outcomes = { done: { to: 'work', gates: ['todos-file'] }, over: { end: 'completed', gates: ['deliverables'] } };
  const work = { kind: 'strategic', title: 'Work', todos: ['Do it'], finish: 'done', completion: 'over', outcomes };
  return { workflow: { name: 'golden', version: 1, start: 'work', states: { work }, caps: { phases: 3 } } };
}

function withoutWords(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutWords);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => !['$schema', 'description', 'title'].includes(key) || typeof value[key as never] === 'object')
      .map(([key, member]) => [key, withoutWords(member)]),
  );
}
