import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { cliSettings } from '../../apps/cli/src/command/cli-settings.js';
import { orchestratorConfigSchema } from '../../apps/orchestrator/src/orchestrator-config.js';
import { toolRunnerConfig } from '../../apps/tool-runner/src/tool-runner-config.js';
import { workerConfig } from '../../libs/phase-worker/src/worker-config.js';

// Written by `npx vitest run test/docs -u`.

const root = fileURLToPath(new URL('../../', import.meta.url));

const services = {
  orchestrator: fieldsOf(orchestratorConfigSchema),
  'strategic-worker': fieldsOf(workerConfig(7401)),
  'tactical-worker': fieldsOf(workerConfig(7402)),
  'tool-runner': fieldsOf(toolRunnerConfig),
};
const everyService = Object.keys(services).join(', ');
/** Read at import, by chaos runs and benches alone. */
const NOT_FOR_USERS = ['PHASELINE_FAULT_POINTS', 'PHASELINE_BENCH_SYNC'];

function fieldsOf(schema: z.ZodType): Record<string, z.ZodType> {
  if (schema instanceof z.ZodPipe) return fieldsOf(schema.in as z.ZodType);
  return (schema as z.ZodObject).shape as Record<string, z.ZodType>;
}

/** The description of a field, also of one that is optional or has a default. */
function descriptionOf(field: z.ZodType): string {
  if (field.description !== undefined) return field.description;
  return field instanceof z.ZodOptional || field instanceof z.ZodDefault
    ? descriptionOf(field.unwrap() as z.ZodType)
    : '';
}

/** As it would be written in the file; undefined where nothing is the default. */
function defaultOf(field: z.ZodType): string | undefined {
  const { success, data } = field.safeParse(undefined);
  if (!success || data === undefined || data === '') return undefined;
  if (typeof data === 'boolean') return data ? '1' : '0';
  return typeof data === 'object' ? undefined : String(data);
}

function lines(name: string, fields: readonly z.ZodType[]): string[] {
  const [field] = fields as [z.ZodType];
  const defaults = [...new Set(fields.map(defaultOf))];
  const isRequired = !field.safeParse(undefined).success;
  // Where services differ, the one that says most.
  const description = fields.map(descriptionOf).sort((a, b) => b.length - a.length)[0] ?? '';
  const text = `${description.replace(/: a whole number from \d+ to 2147483647$/, '')}${isRequired ? '. Required' : ''}${defaults.length > 1 ? `. By service: ${defaults.join(', ')}` : ''}`;
  const setting = `${name}=${defaults[0] ?? ''}`;
  return [...wrapped(`${text.charAt(0).toUpperCase()}${text.slice(1)}.`), `#${setting}`];
}

function wrapped(text: string): string[] {
  const out = [''];
  for (const word of text.split(' ')) {
    const line = out.at(-1)!;
    if (line.length + word.length > 115) out.push(word);
    else out[out.length - 1] = line === '' ? word : `${line} ${word}`;
  }
  return out.map((line) => `# ${line}`);
}

function rendered(): string {
  const users = new Map<string, string[]>();
  for (const [service, fields] of Object.entries(services))
    for (const name of Object.keys(fields)) users.set(name, [...(users.get(name) ?? []), service]);
  const sections = new Map<string, string[]>([[everyService, []]]);
  for (const [name, names] of users) {
    const key = names.join(', ');
    sections.set(key, [...(sections.get(key) ?? []), name]);
  }
  const fieldsNamed = (name: string): z.ZodType[] =>
    Object.values(services).flatMap((fields) => (fields[name] ? [fields[name]] : []));
  const heading = (text: string): string => `# ── ${text} ${'─'.repeat(Math.max(3, 112 - text.length))}`;
  return [
    '# Every setting, with its default. Copy this file to .env and take the # away from what you need: services and the phaseline',
    '# command read .env in the working directory, else at the root of the project. A variable that is set in the environment wins;',
    '# one that is set to nothing counts as not set. `npm run demo` and `npm start` need none of this.',
    ...[...sections].flatMap(([names, own]) => [
      '',
      heading(names === everyService ? 'every service' : names),
      ...own.flatMap((name) => lines(name, fieldsNamed(name))),
    ]),
    '',
    heading('the phaseline command'),
    ...Object.entries(fieldsOf(cliSettings)).flatMap(([name, field]) => lines(name, [field])),
    '',
  ].join('\n');
}

async function sources(folder: string): Promise<string[]> {
  const entries = await readdir(join(root, folder), { withFileTypes: true, recursive: true });
  return entries
    .filter(
      ({ name, parentPath }) =>
        name.endsWith('.ts') && !name.includes('.spec.') && !/node_modules|\/dist/.test(parentPath),
    )
    .filter(({ parentPath }) => !/\/testing\b|test-database/.test(parentPath))
    .map(({ name, parentPath }) => join(parentPath, name));
}

it('.env.example has every setting of the schemas, with what it is and its default', async () => {
  await expect(rendered()).toMatchFileSnapshot('../../.env.example');
});

it('every setting has a description', () => {
  for (const fields of [...Object.values(services), fieldsOf(cliSettings)])
    for (const [name, field] of Object.entries(fields)) expect(descriptionOf(field), name).toMatch(/^\S.{5,}/);
});

it('.env.example has every variable that the sources read', async () => {
  const example = rendered();
  const read = new Set<string>();
  for (const file of [...(await sources('apps')), ...(await sources('libs'))]) {
    const text = await readFile(file, 'utf8');
    for (const [, name] of text.matchAll(/\benv(?:\.|\[')((?:PHASELINE|OPENAI|NEO4J)_[A-Z_]+)/g)) read.add(name!);
  }
  const missing = [...read].filter((name) => !NOT_FOR_USERS.includes(name) && !example.includes(`#${name}=`));
  expect(read.size).toBeGreaterThan(10);
  expect(missing).toEqual([]);
});
