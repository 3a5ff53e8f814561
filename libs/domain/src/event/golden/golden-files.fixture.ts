import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { z } from 'zod';
import { administrationEventDefinitions } from '../../administration/administration-events.js';
import { jobEventDefinitions } from '../../job/job-events.js';
import { phaseEventDefinitions } from '../../phase/phase-events.js';
import type { EventDefinition } from '../define-event.js';
import { generateExample, countVariants, type JsonSchema } from './generate-example.fixture.js';

/** Shape and example data of one version of an event, as recorded when the version was introduced. */
export interface GoldenFile {
  readonly type: string;
  readonly version: number;
  readonly shape: JsonSchema;
  readonly examples: readonly unknown[];
}

const GOLDEN_FOLDER = new URL('./', import.meta.url);
const FILE_NAME = /^(\w+)\.v(\d+)\.json$/;

/** Events of jobs, which are redacted if the job is encrypted. */
export const jobAndPhaseDefinitions: readonly EventDefinition[] = [...jobEventDefinitions, ...phaseEventDefinitions];

export const allDefinitions: readonly EventDefinition[] = [
  ...jobAndPhaseDefinitions,
  ...administrationEventDefinitions,
];

export function readGoldenFile(type: string, version: number): GoldenFile | undefined {
  const file = new URL(`${type}.v${version}.json`, GOLDEN_FOLDER);
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as GoldenFile) : undefined;
}

export function readAllGoldenFiles(): readonly GoldenFile[] {
  return readdirSync(GOLDEN_FOLDER)
    .map((name) => FILE_NAME.exec(name))
    .flatMap((match) => (match ? [readGoldenFile(match[1]!, Number(match[2]))!] : []));
}

/** Writes the file of a version that has none. Existing files are never overwritten, because logs of that shape exist. */
export function recordGolden(definition: EventDefinition): void {
  const file = new URL(`${definition.type}.v${definition.version}.json`, GOLDEN_FOLDER);
  if (!existsSync(file)) writeFileSync(file, `${JSON.stringify(buildGoldenFile(definition), null, 2)}\n`);
}

/** JSON Schema of the stored data, without descriptions. */
export function getShape(definition: EventDefinition): JsonSchema {
  const schema = z.toJSONSchema(definition.data, { unrepresentable: 'any', io: 'input', reused: 'inline' });
  return withoutDescriptions(schema) as JsonSchema;
}

/** Builds full and minimal examples for every alternative. Examples that the schema rejects are dropped: it may be stricter than its shape. */
function buildGoldenFile(definition: EventDefinition): GoldenFile {
  const shape = getShape(definition);
  const made = Array.from({ length: countVariants(shape) }, (_, variant) => [
    generateExample(shape, variant, false),
    generateExample(shape, variant, true),
  ])
    .flat()
    .map((example) => ({ ...(example as object), ...withValidWorkflow(example as object) }));
  const distinct = [...new Map(made.map((example) => [JSON.stringify(example), example])).values()];
  const examples = distinct.filter((example) => definition.data.safeParse(example).success);
  return { type: definition.type, version: definition.version, shape, examples };
}

/** Adds a fixed valid workflow to the example, because a generated one would be inconsistent. */
function withValidWorkflow(example: object): object {
  if (!('workflow' in example)) return {};
  const outcomes = { done: { to: 'work', gates: ['todos-file'] }, over: { end: 'completed', gates: ['deliverables'] } };
  const work = { kind: 'strategic', title: 'Work', todos: ['Do it'], finish: 'done', completion: 'over', outcomes };
  return { workflow: { name: 'golden', version: 1, start: 'work', states: { work }, caps: { phases: 3 } } };
}

function withoutDescriptions(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutDescriptions);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => !['$schema', 'description', 'title'].includes(key) || typeof value[key as never] === 'object')
      .map(([key, member]) => [key, withoutDescriptions(member)]),
  );
}
