import { plainWords, ToolIndex } from '@phaseline/inline-packs';
import { expect, it } from 'vitest';
import { installServers, labelledRequests, listServerTools, ServersMissing } from './measured-servers.js';
import { gainOf, hitsOf, narrowedOf, toolTokensOf } from './tool-search.js';

it('finds the right tool of published MCP servers among the first five and saves 90 % of their tokens', async (context) => {
  try {
    await installServers((what) => process.stderr.write(`${what} …\n`));
  } catch (error) {
    if (error instanceof ServersMissing) return context.skip(error.message);
    throw error;
  }
  const tools = await listServerTools();
  const names = new Set(tools.map(({ name }) => name));
  const [byModel, heldOut, dev] = [
    await labelledRequests('by-model'),
    await labelledRequests('held-out'),
    await labelledRequests('dev'),
  ];
  expect([...byModel, ...heldOut, ...dev].flatMap(({ right }) => right).filter((name) => !names.has(name))).toEqual([]);
  expect(tools.length).toBeGreaterThan(100);
  expect([byModel.length, heldOut.length, dev.length]).toEqual([110, 100, 140]);
  const index = new ToolIndex(tools);
  // The documented figures: a change that loses a single request fails. The set used for tuning may lose a few.
  expect(hitsOf(index, byModel).firstFive).toBeGreaterThanOrEqual(108);
  expect(hitsOf(index, heldOut).firstFive).toBeGreaterThanOrEqual(92);
  expect(hitsOf(index, dev).firstFive).toBeGreaterThanOrEqual(130);
  // The list of synonyms must help for both sets of requests.
  const plain = new ToolIndex(tools, plainWords);
  for (const requests of [byModel, heldOut]) {
    const { gained, lost } = gainOf(plain, index, requests);
    expect(gained).toBeGreaterThan(lost);
  }
  // A search within the right category finds more than half of what a search over all tools missed.
  const narrowed = await narrowedOf(tools, [...byModel, ...heldOut]);
  expect(narrowed.foundInCategory).toBeGreaterThan(narrowed.missed / 2);
  const { all, afterSearch } = await toolTokensOf(tools, byModel);
  expect(1 - afterSearch / all).toBeGreaterThanOrEqual(0.9);
}, 300_000);
