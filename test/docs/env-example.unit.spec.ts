import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { cliSettings } from '../../apps/cli/src/command/cli-settings.js';
import { orchestratorConfigSchema } from '../../apps/orchestrator/src/orchestrator-config.js';
import { toolRunnerConfig } from '../../apps/tool-runner/src/tool-runner-config.js';
import { workerConfig } from '@phaseline/workers';

// `npx vitest run test/docs -u` writes .env.example.

const root = fileURLToPath(new URL('../../', import.meta.url));

const services = {
  orchestrator: listFields(orchestratorConfigSchema),
  'strategic-worker': listFields(workerConfig(7401)),
  'tactical-worker': listFields(workerConfig(7402)),
  'tool-runner': listFields(toolRunnerConfig),
};
const everyService = Object.keys(services).join(', ');
/** Variables that only chaos runs and benchmarks use. */
const NOT_FOR_USERS = ['PHASELINE_FAULT_POINTS', 'PHASELINE_BENCH_SYNC'];

function listFields(schema: z.ZodType): Record<string, z.ZodType> {
  if (schema instanceof z.ZodPipe) return listFields(schema.in as z.ZodType);
  return (schema as z.ZodObject).shape as Record<string, z.ZodType>;
}

/** Returns the description of a field, including optional fields and fields with a default. */
function descriptionOf(field: z.ZodType): string {
  if (field.description !== undefined) return field.description;
  return field instanceof z.ZodOptional || field instanceof z.ZodDefault
    ? descriptionOf(field.unwrap() as z.ZodType)
    : '';
}

/** Returns the default as written in the file; `undefined` if there is none. */
function defaultOf(field: z.ZodType): string | undefined {
  const { success, data } = field.safeParse(undefined);
  if (!success || data === undefined || data === '') return undefined;
  if (typeof data === 'boolean') return data ? '1' : '0';
  return typeof data === 'object' ? undefined : String(data);
}

function renderSetting(name: string, fields: readonly z.ZodType[]): string[] {
  const [field] = fields as [z.ZodType];
  const defaults = [...new Set(fields.map(defaultOf))];
  const isRequired = !field.safeParse(undefined).success;
  // If the descriptions differ between services, the longest one.
  const description = fields.map(descriptionOf).sort((a, b) => b.length - a.length)[0] ?? '';
  const text = `${description.replace(/: a whole number from \d+ to 2147483647$/, '')}${isRequired ? '. Required' : ''}${defaults.length > 1 ? `. By service: ${defaults.join(', ')}` : ''}`;
  const setting = `${name}=${defaults[0] ?? ''}`;
  return [...wrapText(`${text.charAt(0).toUpperCase()}${text.slice(1)}.`), `#${setting}`];
}

function wrapText(text: string): string[] {
  const out = [''];
  for (const word of text.split(' ')) {
    const line = out.at(-1)!;
    if (line.length + word.length > 115) out.push(word);
    else out[out.length - 1] = line === '' ? word : `${line} ${word}`;
  }
  return out.map((line) => `# ${line}`);
}

function renderExample(): string {
  const servicesBySetting = new Map<string, string[]>();
  for (const [service, fields] of Object.entries(services))
    for (const name of Object.keys(fields))
      servicesBySetting.set(name, [...(servicesBySetting.get(name) ?? []), service]);
  const sections = new Map<string, string[]>([[everyService, []]]);
  for (const [name, names] of servicesBySetting) {
    const key = names.join(', ');
    sections.set(key, [...(sections.get(key) ?? []), name]);
  }
  const findFields = (name: string): z.ZodType[] =>
    Object.values(services).flatMap((fields) => (fields[name] ? [fields[name]] : []));
  const heading = (text: string): string => `# ── ${text} ${'─'.repeat(Math.max(3, 112 - text.length))}`;
  return [
    '# Every setting, with its default. Copy this file to .env and uncomment what you need. Services and the phaseline command read',
    '# .env in the working directory, otherwise at the root of the project. Variables of the environment take precedence; an empty',
    '# variable counts as not set. `npm run demo` and `npm start` need no settings.',
    ...[...sections].flatMap(([names, own]) => [
      '',
      heading(names === everyService ? 'every service' : names),
      ...own.flatMap((name) => renderSetting(name, findFields(name))),
    ]),
    '',
    heading('the phaseline command'),
    ...Object.entries(listFields(cliSettings)).flatMap(([name, field]) => renderSetting(name, [field])),
    '',
  ].join('\n');
}

async function listSources(folder: string): Promise<string[]> {
  const entries = await readdir(join(root, folder), { withFileTypes: true, recursive: true });
  return entries
    .filter(
      ({ name, parentPath }) =>
        name.endsWith('.ts') && !name.includes('.spec.') && !/node_modules|\/dist/.test(parentPath),
    )
    .filter(({ parentPath }) => !/\/testing\b|test-database/.test(parentPath))
    .map(({ name, parentPath }) => join(parentPath, name));
}

it('.env.example contains every setting of the schemas, with its description and default', async () => {
  await expect(renderExample()).toMatchFileSnapshot('../../.env.example');
});

it('every setting has a description', () => {
  for (const fields of [...Object.values(services), listFields(cliSettings)])
    for (const [name, field] of Object.entries(fields)) expect(descriptionOf(field), name).toMatch(/^\S.{5,}/);
});

it('.env.example contains every variable that the sources read', async () => {
  const example = renderExample();
  const read = new Set<string>();
  for (const file of [...(await listSources('apps')), ...(await listSources('libs'))]) {
    const text = await readFile(file, 'utf8');
    for (const [, name] of text.matchAll(/\benv(?:\.|\[')((?:PHASELINE|OPENAI|NEO4J)_[A-Z_]+)/g)) read.add(name!);
  }
  const missing = [...read].filter((name) => !NOT_FOR_USERS.includes(name) && !example.includes(`#${name}=`));
  expect(read.size).toBeGreaterThan(10);
  expect(missing).toEqual([]);
});
