import { renderMarkdownTable } from '@phaseline/harness';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { codeKinds } from './code-kinds.js';
import { contentKinds } from './content-kinds.js';
import { featureKinds } from './feature-kinds.js';
import type { KindTable } from './kind-entry.js';
import { planningKinds } from './planning-kinds.js';
import { uncatchableKinds } from './uncatchable-kinds.js';

const page = join(import.meta.dirname, '../../../../docs/concepts/lazy-models.md');
const tables = { planning: planningKinds, content: contentKinds, code: codeKinds, features: featureKinds };

const renderKinds = (table: KindTable): string =>
  renderMarkdownTable(
    ['kind', 'task', 'a model that …', 'not done, because'],
    Object.entries(table).map(([name, { task, does, why }]) => [`\`${name}\``, task, does, why]),
  );

/** Replaces the table behind a marker; the page keeps everything else. */
function replaceTable(text: string, marker: string, table: string): string {
  const start = `<!-- ${marker} -->\n`;
  expect(text, `the page has the marker ${marker}`).toContain(start);
  const [before, after = ''] = text.split(start);
  return `${before}${start}\n${table}\n\n${after.replace(/^\n*(?:\|.*\n)*\n*/, '')}`;
}

it('docs/concepts/lazy-models.md lists every kind', async () => {
  // To update it: npx vitest run labs/lazy -u
  let text = await readFile(page, 'utf8');
  for (const [name, table] of Object.entries(tables)) text = replaceTable(text, name, renderKinds(table));
  const apart = Object.entries(uncatchableKinds).map(([name, { does, why }]) => [`\`${name}\``, does, why]);
  text = replaceTable(text, 'apart', renderMarkdownTable(['kind', 'a model that …', 'why no machine can tell'], apart));
  await expect(text).toMatchFileSnapshot(page);
});

it('has at least 40 kinds with different names', () => {
  const names = Object.values(tables).flatMap((table) => Object.keys(table));
  expect(new Set(names).size).toBe(names.length);
  expect(names.length).toBeGreaterThanOrEqual(40);
  expect(names.filter((name) => name in uncatchableKinds)).toEqual([]);
});
