import { readFile } from 'node:fs/promises';
import { violationKinds, type ViolationKind } from '@phaseline/planning';
import { expect, it } from 'vitest';

/* docs/reference/plan-violations.md has a table that is generated from the kinds of violations. */
const PAGE = new URL('../../docs/reference/plan-violations.md', import.meta.url);
const BEGIN = '<!-- generated: npx vitest run test/docs -u -->';
const END = '<!-- end of the generated section -->';

function renderTable(): string {
  const rows = Object.entries<ViolationKind>(violationKinds).map(
    ([code, { artifacts, severity, weight, rule }]) =>
      `| \`${code}\` | ${artifacts.join(', ')} | ${rule} | ${severity} | ${weight} |`,
  );
  return ['| code | artifact | rule | severity | weight |', '|---|---|---|---|---|', ...rows].join('\n');
}

it('the page lists every kind of violation', async () => {
  const page = await readFile(PAGE, 'utf8');
  const [before, rest = ''] = page.split(BEGIN);
  const [, after] = rest.split(END);
  expect(after).toBeDefined();
  await expect(`${before}${BEGIN}\n\n${renderTable()}\n\n${END}${after}`).toMatchFileSnapshot(PAGE.pathname);
});
