import { z } from 'zod';
import { administrationStreams } from '../administration/administration-events.js';
import { jobEventDefinitions } from '../job/job-events.js';
import { phaseEventDefinitions } from '../phase/phase-events.js';
import type { EventDefinition } from './define-event.js';

interface Shape {
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly items?: Shape;
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Shape | boolean;
  readonly anyOf?: readonly Shape[];
  readonly oneOf?: readonly Shape[];
  readonly format?: string;
  readonly pattern?: string;
  readonly description?: string;
  readonly $ref?: string;
}

/** Renders the reference page of all events from their schemas. */
export function describeEvents(): string {
  return [
    '# Events',
    '',
    'Every event that Phaseline records, grouped by the stream that contains it. This page is generated from the schemas in',
    '`libs/domain`, and a test checks it. To regenerate it, run `npx vitest run libs/domain/ -u`.',
    '',
    ...section('Stream `job-<jobId>`', jobEventDefinitions),
    ...section('Stream `phase-<jobId>-<n>`', phaseEventDefinitions),
    ...administrationStreams.flatMap(({ pattern, definitions }) => section(`Stream \`${pattern}\``, definitions)),
  ].join('\n');
}

function section(title: string, definitions: readonly EventDefinition[]): readonly string[] {
  return [`## ${title}`, '', ...definitions.flatMap(describe)];
}

function describe(definition: EventDefinition): readonly string[] {
  const shape = z.toJSONSchema(definition.data, { unrepresentable: 'any' }) as Shape;
  const required = new Set(shape.required ?? []);
  const rows = Object.entries(shape.properties ?? {}).map(
    ([name, member]) => `| \`${name}\` | ${typeOf(member)} | ${required.has(name) ? 'yes' : ''} |`,
  );
  return [
    `### ${definition.type}, version ${definition.version}`,
    '',
    definition.summary,
    '',
    '| field | type | required |',
    '|---|---|---|',
    ...rows,
    '',
  ];
}

function typeOf(shape: Shape): string {
  if (shape.$ref) return 'object';
  if (shape.const !== undefined) return `\`${JSON.stringify(shape.const)}\``;
  if (shape.enum) return shape.enum.map((value) => `\`${String(value)}\``).join(', ');
  const choices = shape.anyOf ?? shape.oneOf;
  if (choices) return [...new Set(choices.map(typeOf))].join(' or ');
  if (shape.type === 'array') return `list of ${shape.items ? typeOf(shape.items) : 'anything'}`;
  if (shape.properties)
    return `object (${Object.keys(shape.properties)
      .map((name) => `\`${name}\``)
      .join(', ')})`;
  if (shape.type === 'object' && typeof shape.additionalProperties === 'object')
    return `map to ${typeOf(shape.additionalProperties)}`;
  if (shape.pattern === '^[0-9a-f]{64}$') return shape.description ?? 'SHA-256 in hex';
  if (shape.format) return shape.format;
  if (shape.type === undefined) return 'JSON object';
  return String(shape.type);
}
