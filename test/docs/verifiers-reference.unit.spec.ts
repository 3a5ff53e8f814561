import { readFile } from 'node:fs/promises';
import { verifierDefinitionSchema } from '@phaseline/contracts';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { renderMembers, replaceGenerated, type Shape } from './member-rows.js';

const PAGE = '../../docs/reference/verifiers.md';

it('the page of verifiers contains every member of a definition, with its description', async () => {
  const rows = renderMembers(z.toJSONSchema(verifierDefinitionSchema, { io: 'input' }) as Shape);
  expect(rows.filter((row) => row.endsWith('|  |'))).toEqual([]);
  const text = await readFile(new URL(PAGE, import.meta.url), 'utf8');
  await expect(replaceGenerated(text, rows.join('\n'))).toMatchFileSnapshot(PAGE);
});
