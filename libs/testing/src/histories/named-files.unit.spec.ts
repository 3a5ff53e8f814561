import { FILES_OF_EVENTS } from '@phaseline/audit';
import { jobEventDefinitions, phaseEventDefinitions } from '@phaseline/domain';
import { expect, it } from 'vitest';
import { z } from 'zod';

/** Hashes in events that name no stored content, with what they are. */
const NO_FILES: Readonly<Record<string, string>> = {
  'JobSubmitted.requestHash': 'fingerprint of the request, by which a repeat is known',
  'JobSubmitted.agentHash': 'fingerprint of the definition, which the event holds itself',
  'JobSubmitted.workflowHash': 'fingerprint of the workflow, which the event holds itself',
  'JobForked.requestHash': 'fingerprint of the request, by which a repeat is known',
  'JobForked.parent.hash': 'hash of an event',
  'JobForked.definition.agentHash': 'fingerprint of the definition, which the event holds itself',
  'JobForked.definition.workflowHash': 'fingerprint of the workflow, which the event holds itself',
  'JobDefinitionChanged.agentHash': 'fingerprint of the definition, which the event holds itself',
  'JobDefinitionChanged.workflowHash': 'fingerprint of the workflow, which the event holds itself',
  'PhaseForked.parent.hash': 'hash of an event',
  'ModelCallStarted.requestHash': 'fingerprint of the prompt, which is made from the state again',
};

interface Definition {
  readonly type: string;
  readonly data: z.ZodType;
}

interface Shape {
  readonly pattern?: string;
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly additionalProperties?: Shape | boolean;
  readonly items?: Shape;
  readonly prefixItems?: readonly Shape[];
  readonly anyOf?: readonly Shape[];
  readonly oneOf?: readonly Shape[];
  readonly allOf?: readonly Shape[];
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, Shape>>;
}

/** Places of hashes in the data of an event: by their pattern, or by a name that says so. `*` is any member or element. */
function hashesOf({ type, data }: Definition): string[] {
  const root = z.toJSONSchema(data, { unrepresentable: 'any' }) as Shape;
  const found = new Set<string>();
  const walk = (shape: Shape | boolean | undefined, path: readonly string[], seen: readonly string[]): void => {
    if (typeof shape !== 'object') return;
    if (shape.$ref !== undefined && !seen.includes(shape.$ref))
      walk(shape.$ref === '#' ? root : root.$defs?.[shape.$ref.replace('#/$defs/', '')], path, [...seen, shape.$ref]);
    const isText = shape.type === 'string' || (Array.isArray(shape.type) && shape.type.includes('string'));
    const isHash = /\{64\}/.test(shape.pattern ?? '') || /hash|digest|checksum|sha\d|blob/i.test(path.at(-1) ?? '');
    if (isText && isHash) found.add([type, ...path].join('.'));
    for (const [name, member] of Object.entries(shape.properties ?? {})) walk(member, [...path, name], seen);
    walk(shape.additionalProperties, [...path, '*'], seen);
    walk(shape.items, [...path, '*'], seen);
    for (const part of shape.prefixItems ?? []) walk(part, [...path, '*'], seen);
    for (const part of [...(shape.anyOf ?? []), ...(shape.oneOf ?? []), ...(shape.allOf ?? [])]) walk(part, path, seen);
  };
  walk(root, [], []);
  return [...found];
}

/** Hashes that the audit neither follows nor was told to leave. */
function unlisted(definitions: readonly Definition[]): string[] {
  return definitions.flatMap((definition) => {
    const { file, tree } = FILES_OF_EVENTS[definition.type] ?? {};
    const followed = [
      ...(file === undefined ? [] : [[definition.type, ...(file === '' ? [] : [file]), 'hash'].join('.')]),
      ...(tree === undefined ? [] : [`${definition.type}.${tree}.*.hash`]),
    ];
    return hashesOf(definition).filter((place) => !followed.includes(place) && !(place in NO_FILES));
  });
}

const all = [...jobEventDefinitions, ...phaseEventDefinitions];

it('every hash in the shape of an event is one of a file that the audit checks, or known to be of none', () => {
  expect(unlisted(all)).toEqual([]);
});

it('what is listed is in the shapes', () => {
  const places = all.flatMap(hashesOf);
  for (const [type, { file, tree }] of Object.entries(FILES_OF_EVENTS)) {
    if (file !== undefined) expect(places).toContain([type, ...(file === '' ? [] : [file]), 'hash'].join('.'));
    if (tree !== undefined) expect(places).toContain(`${type}.${tree}.*.hash`);
  }
  expect(Object.keys(NO_FILES).filter((place) => !places.includes(place))).toEqual([]);
});

it('a new event with a hash that nobody listed is found, wherever it is', () => {
  const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
  const type = 'ReportFiled';
  expect(unlisted([{ type, data: z.object({ report: sha256 }) }])).toEqual(['ReportFiled.report']);
  expect(unlisted([{ type, data: z.object({ reports: z.array(z.object({ contentHash: z.string() })) }) }])).toEqual([
    'ReportFiled.reports.*.contentHash',
  ]);
  expect(
    unlisted([{ type, data: z.object({ of: z.union([z.record(z.string(), sha256), z.null()]).optional() }) }]),
  ).toEqual(['ReportFiled.of.*']);
});
