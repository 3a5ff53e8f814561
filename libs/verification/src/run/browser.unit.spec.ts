import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { verifierDefinitionSchema } from '@phaseline/contracts';
import { Sandbox, type SandboxSettings } from '@phaseline/sandbox';
import { load } from 'js-yaml';
import { describe, expect, it } from 'vitest';
import { findBrowser } from './find-browser.js';
import { VerifierBench } from './verifier-bench.fixture.js';

const shipped = new URL('../../../../agents/tester-agent/verifiers/browser.yaml', import.meta.url);
const definition = verifierDefinitionSchema.parse(load(readFileSync(shipped, 'utf8')));
/** As a package that the set-up of the verifier installed. */
const playwright = dirname(fileURLToPath(import.meta.resolve('playwright-core')));

const PAGE = `<h1>Todos</h1><button>Today</button><ul></ul><script>
document.querySelector('button').onclick = () => document.querySelector('ul').append(document.createElement('li'));
</script>`;
const project = {
  'repository/src/server.js': `require('node:http').createServer((_request, response) => {
  response.setHeader('content-type', 'text/html').end(${JSON.stringify(PAGE)});
}).listen(8080, '127.0.0.1');`,
  'repository/browser/todos.browser.js': `const assert = require('node:assert');
const { test } = require('node:test');
const { chromium } = require(${JSON.stringify(join(playwright, 'index.js'))});
test('shows a todo when it is asked for', async () => {
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM });
  try {
    const page = await browser.newPage();
    await page.goto('http://127.0.0.1:8080/');
    await page.getByRole('button', { name: 'Today' }).click();
    await page.screenshot({ path: 'screenshots/today.png' });
    assert.equal(await page.getByRole('listitem').count(), 1);
  } finally {
    await browser.close();
  }
});`,
};

const hasBrowser = await findBrowser(new Sandbox({ mode: 'none' })).then(
  () => true,
  () => false,
);

describe.runIf(hasBrowser).each<SandboxSettings>([{ mode: 'auto' }, { mode: 'auto', limitedBy: 'rlimits' }])(
  'the shipped verifier of pages, with Chromium in the sandbox %j',
  (settings) => {
    const bench = () => new VerifierBench(new Sandbox({ ...settings, toolchain: [playwright] }));

    it('clicks in the page of a service, and keeps the screenshot', { timeout: 120_000 }, async () => {
      const result = await bench().run(definition, project);
      expect(result).toMatchObject({ outcome: 'passed', tests: { passed: 1 } });
      const [shot] = result.screenshots!;
      expect(shot!.path).toBe('screenshots/today.png');
      expect(Buffer.from(shot!.content).subarray(1, 4).toString()).toBe('PNG');
    });

    it('refuses a page whose button does nothing', { timeout: 120_000 }, async () => {
      const server = project['repository/src/server.js'].replace('.onclick', '.ondrop');
      const result = await bench().run(definition, project, { ...project, 'repository/src/server.js': server });
      expect(result).toMatchObject({ outcome: 'failed', cases: [{ outcome: 'failed' }] });
      expect(result.reason).toContain('shows a todo when it is asked for');
    });
  },
);
