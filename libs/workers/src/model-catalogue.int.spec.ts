import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openModels } from './model-catalogue.js';
import { workerConfig } from './worker-config.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'models-'));
});
afterEach(() => rm(folder, { recursive: true }));

const profile = (name: string, tokens: number): Promise<void> =>
  writeFile(join(folder, `${name}.yaml`), `name: ${name}\nmodel: m\ncontextTokens: ${tokens}\n`);

it('loads changed and new profiles, and keeps the previous ones after a broken edit', async () => {
  await profile('one', 4_000);
  const broken: string[] = [];
  const config = workerConfig(0).parse({
    DATABASE_URL: 'postgresql://app@127.0.0.1/x',
    OPENAI_BASE_URL: 'http://127.0.0.1:9/v1',
    PHASELINE_MODELS_DIR: folder,
    PHASELINE_SHIPPED_DEFINITIONS: '0',
  });
  const models = await openModels(config, (error) => broken.push(error.message));
  expect(await models.find('one')).toMatchObject({ contextTokens: 4_000 });
  // Returns the same model without another connection.
  expect(await models.find('one')).toBe(await models.find('one'));

  await profile('two', 8_000);
  expect(await models.find('two')).toMatchObject({ contextTokens: 8_000 });

  await profile('one', 16_000);
  await expect.poll(async () => (await models.find('one'))?.contextTokens).toBe(16_000);

  await writeFile(join(folder, 'one.yaml'), 'name: one\nmodel: [\n');
  await expect.poll(async () => (await models.find('one')) && broken.length).toBe(1);
  expect(broken[0]).toMatch(/one\.yaml:\d:\d+: not valid YAML/);
  expect(await models.find('one')).toMatchObject({ contextTokens: 16_000 });
});
