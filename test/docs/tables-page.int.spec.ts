import { readFile } from 'node:fs/promises';
import { createTestDatabase } from '@phaseline/testing';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { phaselineTables, queueTables, type TableGrowth } from './table-growth.js';

// `npx vitest run test/docs -u` updates the page.

const PAGE = new URL('../../docs/reference/tables.md', import.meta.url);
const BEGIN = '<!-- generated: npx vitest run test/docs -u -->';
const END = '<!-- end of the generated section -->';
/** A version of a read model, or the template that versions are created from. */
const READ_MODEL = /_(?:template|v\d+)$/;

const tables: { schema: string; name: string }[] = [];
beforeAll(async () => {
  const database = await createTestDatabase();
  afterAll(() => database.drop());
  const client = new pg.Client({ connectionString: database.ownerUrl });
  await client.connect();
  const { rows } = await client.query<{ schema: string; name: string }>(
    `SELECT schemaname AS schema, tablename AS name FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`,
  );
  tables.push(...rows);
  await client.end();
});

function listTables(schema: string): readonly string[] {
  const names = tables.filter((table) => table.schema === schema).map(({ name }) => name.replace(READ_MODEL, ''));
  return [...new Set(names)].sort();
}

function renderTable(growth: Readonly<Record<string, TableGrowth>>): string {
  const rows = Object.entries(growth).map(
    ([name, { growsWith, boundedBy }]) => `| \`${name}\` | ${growsWith} | ${boundedBy} |`,
  );
  return ['| table | grows with | bounded by |', '|---|---|---|', ...rows].join('\n');
}

it('a migration cannot add a table without saying how it grows and what limits it', () => {
  expect([...new Set(tables.map(({ schema }) => schema))].sort()).toEqual(['bullmq', 'phaseline']);
  expect(Object.keys(phaselineTables).toSorted()).toEqual(listTables('phaseline'));
  expect(Object.keys(queueTables).toSorted()).toEqual(listTables('bullmq'));
});

it('names only settings that exist', async () => {
  const texts = [...Object.values(phaselineTables), ...Object.values(queueTables)].flatMap((one) => Object.values(one));
  const named = texts.flatMap((text: string) => text.match(/PHASELINE_\w+/g) ?? []);
  const settings = await readFile(new URL('../../.env.example', import.meta.url), 'utf8');
  expect(named.length).toBeGreaterThan(0);
  expect(named.filter((name) => !settings.includes(`#${name}=`))).toEqual([]);
});

it('the page lists every table', async () => {
  const page = await readFile(PAGE, 'utf8');
  const [before, rest = ''] = page.split(BEGIN);
  const [, after] = rest.split(END);
  expect(after).toBeDefined();
  const lists = ['## Schema phaseline', renderTable(phaselineTables), '## Schema bullmq', renderTable(queueTables)];
  await expect(`${before}${BEGIN}\n\n${lists.join('\n\n')}\n\n${END}${after}`).toMatchFileSnapshot(PAGE.pathname);
});
